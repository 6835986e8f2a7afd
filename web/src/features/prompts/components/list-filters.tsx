import { Search } from 'lucide-react';
import type { Ref } from 'react';
import { Input } from '@/components/ui/input';
import { Select } from '@/components/ui/select';
import { cn } from '@/lib/cn';
import { SEARCH_LIMIT } from '@/lib/limits';
import { ALL_TAGS, type ListFilter } from '@/features/prompts/filter';

interface ListFiltersProps {
  filter: ListFilter;
  tags: readonly string[];
  searchRef: Ref<HTMLInputElement>;
  onChange: (change: Partial<ListFilter>) => void;
}

/** Search, tag and state. What is chosen stands in the address. */
export function ListFilters({ filter, tags, searchRef, onChange }: ListFiltersProps) {
  const known = filter.tag === ALL_TAGS || tags.includes(filter.tag) ? tags : [...tags, filter.tag];
  return (
    <div className="flex flex-wrap items-center gap-3">
      <div className="relative min-w-56 flex-1">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        />
        <Input
          ref={searchRef}
          type="search"
          aria-label="Search prompts"
          aria-keyshortcuts="/"
          placeholder="Search prompts..."
          value={filter.search}
          maxLength={SEARCH_LIMIT}
          className="pl-9"
          onChange={(event) => {
            onChange({ search: event.target.value });
          }}
        />
      </div>
      <Select
        aria-label="Filter by tag"
        value={filter.tag}
        className="w-44"
        onChange={(event) => {
          onChange({ tag: event.target.value });
        }}
      >
        <option value={ALL_TAGS}>All Tags</option>
        {known.map((tag) => (
          <option key={tag} value={tag}>
            {tag}
          </option>
        ))}
      </Select>
      <StateToggle
        archived={filter.archived}
        onChange={(archived) => {
          onChange({ archived });
        }}
      />
    </div>
  );
}

interface StateToggleProps {
  archived: boolean;
  onChange: (archived: boolean) => void;
}

function StateToggle({ archived, onChange }: StateToggleProps) {
  return (
    <div role="group" aria-label="State" className="flex rounded-md border bg-raised p-0.5">
      {[false, true].map((value) => (
        <button
          key={String(value)}
          type="button"
          aria-pressed={archived === value}
          className={cn(
            'h-8 rounded-sm px-3 text-sm font-medium text-muted transition-colors duration-150 hover:text-foreground pointer-coarse:h-11',
            archived === value && 'bg-surface text-foreground outline-1 outline-border',
          )}
          onClick={() => {
            onChange(value);
          }}
        >
          {value ? 'Archived' : 'Active'}
        </button>
      ))}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { FileText, Plus, SearchX } from 'lucide-react';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useNavigationType, useSearchParams } from 'react-router-dom';
import { PageHeader } from '@/components/page-header';
import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { QueryError } from '@/components/query-error';
import { paths } from '@/config/paths';
import {
  ALL_TAGS,
  filterPrompts,
  readFilter,
  tagOptions,
  writeFilter,
  type ListFilter,
} from '@/features/prompts/filter';
import { useArchive } from '@/features/prompts/use-archive';
import { usePageTitle } from '@/hooks/use-page-title';
import { useShortcut } from '@/lib/shortcuts';
import type { PromptPage } from '@/lib/prompt-api/client';
import { promptListQuery } from '@/lib/prompt-api/queries';
import { ListFilters } from './list-filters';
import { ListSkeleton } from './list-skeleton';
import { PromptGrid } from './prompt-grid';

/**
 * The filter in the address. The search text is kept here as well: the router follows with a
 * delay, and a field that waited for it would lose letters.
 */
function useFilter(): [ListFilter, (part: Partial<ListFilter>) => void] {
  const [query, setQuery] = useSearchParams();
  const { key } = useLocation();
  const isPop = useNavigationType() === 'POP';
  const inAddress = useMemo(() => readFilter(query), [query]);
  const [search, setSearch] = useState(inAddress.search);
  const [seenKey, setSeenKey] = useState(key);
  if (seenKey !== key) {
    setSeenKey(key);
    if (isPop) setSearch(inAddress.search);
  }
  const filter = useMemo(() => ({ ...inAddress, search }), [inAddress, search]);
  const change = (part: Partial<ListFilter>) => {
    const next = { ...filter, ...part };
    setSearch(next.search);
    // Typing must not fill the history; choosing a filter may be gone back on.
    setQuery(writeFilter(next), { replace: part.search !== undefined, preventScrollReset: true });
  };
  return [filter, change];
}

/** All prompts of the visitor: searched, filtered and archived here. */
export function PromptListScreen() {
  usePageTitle('Prompts');
  const [filter, change] = useFilter();
  const search = useRef<HTMLInputElement>(null);
  const list = useQuery(promptListQuery(filter.archived ? { archived: 'true' } : {}));
  const tags = useMemo(() => tagOptions(list.data?.prompts ?? []), [list.data]);

  useShortcut('/', () => search.current?.focus());

  return (
    <>
      <PageHeader
        title="Prompt Management"
        subtitle="Organize and version your AI prompts"
        actions={<CreateLink label="Create Prompt" />}
      />
      <ListFilters filter={filter} tags={tags} searchRef={search} onChange={change} />
      <div className="mt-4">
        {list.isPending && <ListSkeleton />}
        {list.isError && !list.data && (
          <QueryError
            error={list.error}
            fallback="Failed to load prompts"
            onRetry={() => list.refetch()}
          />
        )}
        {list.data && <LoadedList page={list.data} filter={filter} onChange={change} />}
      </div>
    </>
  );
}

interface LoadedListProps {
  page: PromptPage;
  filter: ListFilter;
  onChange: (part: Partial<ListFilter>) => void;
}

function LoadedList({ page, filter, onChange }: LoadedListProps) {
  const { archive, unarchive } = useArchive();
  const deferred = useDeferredValue(filter);
  const shown = useMemo(() => filterPrompts(page.prompts, deferred), [page.prompts, deferred]);
  if (page.prompts.length === 0) return <NothingYet archived={filter.archived} />;
  return (
    <>
      <ShownLine shown={shown.length} total={page.total} filter={deferred} />
      {shown.length === 0 ? (
        <NothingFound filter={filter} onChange={onChange} />
      ) : (
        <PromptGrid prompts={shown} onArchive={archive} onUnarchive={unarchive} />
      )}
    </>
  );
}

interface ShownLineProps {
  shown: number;
  total: number;
  filter: ListFilter;
}

function ShownLine({ shown, total, filter }: ShownLineProps) {
  const search = filter.search.trim();
  return (
    <p role="status" className="mb-3 text-sm text-muted">
      Showing {shown} of {total} prompts
      {search !== '' && (
        <>
          {' matching '}
          <span className="font-medium text-foreground">“{search}”</span>
        </>
      )}
      {filter.tag !== ALL_TAGS && (
        <>
          {' tagged '}
          <span className="font-medium text-foreground">“{filter.tag}”</span>
        </>
      )}
    </p>
  );
}

function NothingYet({ archived }: { archived: boolean }) {
  if (archived) {
    return (
      <EmptyState icon={<FileText />} title="No archived prompts">
        Prompts you archive wait here until you need them again.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<FileText />}
      title="No prompts yet"
      actions={<CreateLink label="Create Your First Prompt" />}
    >
      A prompt has a key your code fetches it by, and keeps every version you save.
    </EmptyState>
  );
}

interface NothingFoundProps {
  filter: ListFilter;
  onChange: (part: Partial<ListFilter>) => void;
}

function NothingFound({ filter, onChange }: NothingFoundProps) {
  return (
    <EmptyState
      icon={<SearchX />}
      title="No prompts found"
      actions={
        <>
          {filter.search !== '' && (
            <Button
              onClick={() => {
                onChange({ search: '' });
              }}
            >
              Clear Search
            </Button>
          )}
          <Button
            onClick={() => {
              onChange({ search: '', tag: ALL_TAGS });
            }}
          >
            Clear Filters
          </Button>
        </>
      }
    >
      No prompt matches what you are looking for.
    </EmptyState>
  );
}

function CreateLink({ label }: { label: string }) {
  return (
    <Button asChild variant="primary">
      <Link to={paths.promptNew.getHref()} aria-keyshortcuts="c">
        <Plus aria-hidden="true" />
        {label}
      </Link>
    </Button>
  );
}

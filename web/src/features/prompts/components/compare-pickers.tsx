import { useId } from 'react';
import { Label } from '@/components/ui/label';
import { Select } from '@/components/ui/select';
import type { CompareView, Layout } from '@/features/prompts/compare-view';
import { cn } from '@/lib/cn';
import type { PromptVersion } from '@/lib/prompt-api/schemas';

interface ComparePickersProps {
  versions: readonly PromptVersion[];
  view: CompareView;
  onChange: (part: Partial<CompareView>) => void;
}

/** Which versions are compared, and how. */
export function ComparePickers({ versions, view, onChange }: ComparePickersProps) {
  const numbers = [...versions.map(({ version }) => version), 0];
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <VersionSelect
        label="From"
        numbers={numbers}
        value={view.from}
        onChange={(from) => {
          onChange({ from });
        }}
      />
      <VersionSelect
        label="To"
        numbers={numbers}
        value={view.to}
        onChange={(to) => {
          onChange({ to });
        }}
      />
      <label className="flex min-h-9 items-center gap-2 text-sm pointer-coarse:min-h-11">
        <input
          type="checkbox"
          checked={view.ignoreWhitespace}
          className="size-4 accent-accent"
          onChange={(event) => {
            onChange({ ignoreWhitespace: event.target.checked });
          }}
        />
        Ignore whitespace
      </label>
      <LayoutToggle
        layout={view.layout}
        onChange={(layout) => {
          onChange({ layout });
        }}
      />
    </div>
  );
}

interface VersionSelectProps {
  label: string;
  numbers: readonly number[];
  value: number;
  onChange: (version: number) => void;
}

function VersionSelect({ label, numbers, value, onChange }: VersionSelectProps) {
  const id = useId();
  const options = numbers.includes(value) ? numbers : [value, ...numbers];
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      <Select
        id={id}
        value={value}
        className="w-28"
        onChange={(event) => {
          onChange(Number(event.target.value));
        }}
      >
        {options.map((number) => (
          <option key={number} value={number}>
            {number === 0 ? 'Empty' : `v${String(number)}`}
          </option>
        ))}
      </Select>
    </div>
  );
}

const LAYOUTS: readonly [Layout, string][] = [
  ['split', 'Split'],
  ['unified', 'Unified'],
];

interface LayoutToggleProps {
  layout: Layout;
  onChange: (layout: Layout) => void;
}

/** Hidden on small screens: two columns do not fit there. */
function LayoutToggle({ layout, onChange }: LayoutToggleProps) {
  return (
    <div
      role="group"
      aria-label="Layout"
      className="ml-auto hidden rounded-md border bg-raised p-0.5 md:flex"
    >
      {LAYOUTS.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={layout === value}
          className={cn(
            'h-8 rounded-sm px-3 text-sm font-medium text-muted transition-colors duration-150 hover:text-foreground',
            layout === value && 'bg-surface text-foreground outline-1 outline-border',
          )}
          onClick={() => {
            onChange(value);
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

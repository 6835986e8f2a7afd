import { useId, useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Input } from '@/components/ui/input';
import { TemplateText } from '@/components/ui/template-text';
import { isSystemVariable, systemVariables } from '@/lib/compile/system-variables';
import { scan } from '@/lib/compile/tokens';
import { cn } from '@/lib/cn';

const VERSIONS = [
  {
    version: 3,
    template: 'Answer {customer} about {topic}.\nBe {tone}.',
  },
  {
    version: 4,
    template:
      'You are a support engineer. Today is {TODAY}.\nAnswer {customer} about {topic}.\nBe {tone}, and end with one next step.',
  },
] as const;

const FIRST_VALUES = { customer: 'Ada', topic: 'her invoice', tone: 'warm and brief' };
type Name = keyof typeof FIRST_VALUES;
const NAMES = Object.keys(FIRST_VALUES) as Name[];

/** The product in small: a versioned template, its variables, and what comes out. */
export function PromptDemo() {
  const [version, setVersion] = useState<3 | 4>(4);
  const [values, setValues] = useState<Record<Name, string>>(FIRST_VALUES);
  const template = VERSIONS.find((entry) => entry.version === version)?.template ?? '';
  const id = useId();

  return (
    <section
      aria-label="Try it: a prompt with variables"
      className="relative overflow-hidden rounded-lg border bg-surface text-sm"
    >
      <span aria-hidden="true" className="line-ember absolute inset-x-0 top-0 h-0.5" />
      <div className="flex items-center gap-3 border-b px-4 pt-3 pb-2.5">
        <span className="mr-auto truncate font-mono text-xs">support-reply</span>
        <VersionSwitch version={version} onChange={setVersion} />
      </div>
      <div className="min-h-32 px-4 py-4 leading-7">
        <TemplateText text={template} />
      </div>
      <div className="grid gap-3 border-y bg-raised/60 px-4 py-3 sm:grid-cols-3">
        {NAMES.map((name) => (
          <div key={name} className="grid gap-1">
            <label htmlFor={`${id}-${name}`} className="font-mono text-xs text-muted">
              {name}
            </label>
            <Input
              id={`${id}-${name}`}
              value={values[name]}
              maxLength={60}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          </div>
        ))}
      </div>
      <div className="px-4 py-4">
        <div className="mb-2 flex items-center justify-between">
          <h2 className="text-xs font-medium tracking-normal text-muted">Output</h2>
          <Badge tone="success">Compiled</Badge>
        </div>
        <output className="block min-h-21 leading-7 break-words whitespace-pre-wrap">
          <Filled template={template} values={values} />
        </output>
      </div>
    </section>
  );
}

type VersionSwitchProps = { version: 3 | 4; onChange: (version: 3 | 4) => void };

function VersionSwitch({ version, onChange }: VersionSwitchProps) {
  return (
    <div role="group" aria-label="Version" className="flex rounded-md border p-0.5">
      {VERSIONS.map((entry) => (
        <button
          key={entry.version}
          type="button"
          aria-pressed={entry.version === version}
          onClick={() => onChange(entry.version)}
          className={cn(
            'h-7 min-w-9 rounded-sm px-2 font-mono text-xs text-muted transition-colors duration-150 hover:text-foreground pointer-coarse:h-10 pointer-coarse:min-w-11',
            entry.version === version && 'bg-raised text-foreground',
          )}
        >
          v{entry.version}
        </button>
      ))}
    </div>
  );
}

type FilledPart = { start: number; before: string; value: string };

function fill(template: string, values: Record<string, string>): FilledPart[] {
  const system = systemVariables(new Date());
  const tokens = scan(template);
  return tokens.map(({ name, start }, index) => ({
    start,
    before: template.slice(tokens[index - 1]?.end ?? 0, start),
    value: isSystemVariable(name) ? String(system[name]) : (values[name] ?? ''),
  }));
}

/** The compiled text with the values that were put in set apart. */
function Filled({ template, values }: { template: string; values: Record<string, string> }) {
  const rest = template.slice(scan(template).at(-1)?.end ?? 0);
  return (
    <span className="text-muted">
      {fill(template, values).map(({ start, before, value }) => (
        <span key={start}>
          {before}
          <span className="font-medium text-foreground underline decoration-accent-line decoration-2 underline-offset-4">
            {value}
          </span>
        </span>
      ))}
      {rest}
    </span>
  );
}

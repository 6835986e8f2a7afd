import { Check, Copy, TextCursorInput, TriangleAlert } from 'lucide-react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { TemplateText } from '@/components/ui/template-text';
import type { Compiled, Playground } from '@/features/playground/use-playground';
import { copyText } from '@/lib/copy-text';

/** The compiled text and what it was made with. */
export function CompiledOutput({ playground }: { playground: Playground }) {
  const { compiled, outdated } = playground;
  if (compiled === undefined) {
    return (
      <div className="grid min-h-40 place-content-center justify-items-center text-center text-sm text-muted">
        <TextCursorInput aria-hidden="true" className="mb-3 size-7" strokeWidth={1.5} />
        <p>The compiled text appears here.</p>
      </div>
    );
  }
  const { result } = compiled;
  const missing = result.metadata?.missing ?? [];
  return (
    <div className="grid gap-5">
      <section aria-label="Compiled text">
        <div className="mb-2 flex min-h-9 flex-wrap items-center gap-2">
          <Badge tone="success">
            <Check aria-hidden="true" />
            Compiled
          </Badge>
          <VersionBadge playground={playground} compiled={compiled} />
          {outdated && <Badge tone="warning">Changed since</Badge>}
          <Button
            size="sm"
            variant="ghost"
            className="ml-auto"
            onClick={() => void copyText(result.compiled_template)}
          >
            <Copy aria-hidden="true" />
            Copy
          </Button>
        </div>
        <div className="max-h-[36rem] overflow-auto rounded-md border bg-background px-3 py-3">
          <pre className="font-mono text-sm leading-[1.6] break-words whitespace-pre-wrap">
            {result.compiled_template}
          </pre>
        </div>
        {missing.length > 0 && <Missing names={missing} />}
      </section>
      <SystemVariables values={result.system_variables} />
    </div>
  );
}

/** Only a text that is stored has a version. */
function VersionBadge({ playground, compiled }: { playground: Playground; compiled: Compiled }) {
  const { version } = compiled.result;
  if (version !== null) return <Badge className="font-mono">v{version}</Badge>;
  return playground.prompt ? <Badge tone="warning">Edited, not saved</Badge> : null;
}

function Missing({ names }: { names: readonly string[] }) {
  return (
    <p className="mt-2 flex items-start gap-2 text-sm">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warning" />
      <span>
        Without a value, left as written:{' '}
        <TemplateText text={names.map((name) => `{${name}}`).join(', ')} className="text-xs" />
      </span>
    </p>
  );
}

function SystemVariables({ values }: { values: Readonly<Record<string, string | number>> }) {
  return (
    <section aria-labelledby="system-variables">
      <h2 id="system-variables" className="mb-2 text-sm font-medium tracking-normal">
        System variables
      </h2>
      <dl className="grid gap-x-6 gap-y-1 text-xs sm:grid-cols-[auto_minmax(0,1fr)]">
        {Object.entries(values).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>
              <TemplateText text={`{${name}}`} />
            </dt>
            <dd className="mb-1 font-mono text-muted sm:mb-0">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

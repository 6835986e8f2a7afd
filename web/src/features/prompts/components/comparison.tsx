import { ArrowLeftRight, ClipboardCopy, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import {
  readView,
  rememberLayout,
  templateOf,
  writeView,
  type CompareView,
} from '@/features/prompts/compare-view';
import { diffLines } from '@/features/prompts/line-diff';
import { versionDescription } from '@/features/prompts/version-description';
import { copyText } from '@/lib/copy-text';
import type { Prompt, PromptVersion } from '@/lib/prompt-api/schemas';
import { ComparePickers } from './compare-pickers';
import { DiffTable } from './diff-table';
import { RestoreDialog } from './restore-dialog';

interface ComparisonProps {
  prompt: Prompt;
  versions: readonly PromptVersion[];
}

export function Comparison({ prompt, versions }: ComparisonProps) {
  const [query, setQuery] = useSearchParams();
  const [restoring, setRestoring] = useState<PromptVersion | null>(null);
  const newest = versions[0]?.version ?? 1;
  const view = readView(query, newest);
  const before = templateOf(versions, view.from);
  const after = templateOf(versions, view.to);
  const older = versions.find(({ version }) => version === view.from);
  const change = (part: Partial<CompareView>) => {
    if (part.layout) rememberLayout(part.layout);
    setQuery(writeView({ ...view, ...part }), { preventScrollReset: true });
  };

  return (
    <>
      <ComparePickers versions={versions} view={view} onChange={change} />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          size="sm"
          onClick={() => {
            change({ from: view.to, to: view.from });
          }}
        >
          <ArrowLeftRight aria-hidden="true" />
          Swap
        </Button>
        {before !== undefined && after !== undefined && (
          <Button size="sm" onClick={() => void copyPatch(prompt.key, view, before, after)}>
            <ClipboardCopy aria-hidden="true" />
            Copy patch
          </Button>
        )}
        {older && older.version !== prompt.current_version?.version && (
          <Button
            size="sm"
            onClick={() => {
              setRestoring(older);
            }}
          >
            <RotateCcw aria-hidden="true" />
            Restore v{older.version}
          </Button>
        )}
      </div>
      <Descriptions versions={versions} view={view} />
      {before === undefined || after === undefined ? (
        <p role="alert" className="mt-4 rounded-lg border bg-surface px-5 py-8 text-center text-sm">
          This prompt has no version {before === undefined ? view.from : view.to}.
        </p>
      ) : (
        <Differences before={before} after={after} view={view} />
      )}
      <RestoreDialog
        prompt={prompt}
        version={restoring}
        onClose={() => {
          setRestoring(null);
        }}
      />
    </>
  );
}

async function copyPatch(key: string, { from, to }: CompareView, before: string, after: string) {
  const { createTwoFilesPatch } = await import('diff');
  const [left, right] = [`${key}@v${String(from)}`, `${key}@v${String(to)}`];
  await copyText(createTwoFilesPatch(left, right, before, after), 'Patch copied');
}

interface DescriptionsProps {
  versions: readonly PromptVersion[];
  view: CompareView;
}

/** What the newer version says it is about. */
function Descriptions({ versions, view }: DescriptionsProps) {
  const version = versions.find((one) => one.version === view.to);
  if (version === undefined) return null;
  return (
    <p className="mt-4 text-sm text-muted">
      <span className="font-mono font-medium text-foreground">v{version.version}</span>{' '}
      {versionDescription(version)}
    </p>
  );
}

interface DifferencesProps {
  before: string;
  after: string;
  view: CompareView;
}

function Differences({ before, after, view }: DifferencesProps) {
  const { ignoreWhitespace, layout, from, to } = view;
  const diff = useMemo(
    () => diffLines(before, after, { ignoreWhitespace }),
    [before, after, ignoreWhitespace],
  );
  if (diff === undefined) {
    return (
      <p role="status" className="mt-4 rounded-lg border bg-surface px-5 py-8 text-center text-sm">
        These texts are too long and too different to compare line by line.
      </p>
    );
  }
  if (diff.added === 0 && diff.removed === 0) {
    return (
      <p role="status" className="mt-4 rounded-lg border bg-surface px-5 py-8 text-center text-sm">
        No differences
      </p>
    );
  }
  return (
    <DiffTable
      key={`${String(from)}-${String(to)}`}
      diff={diff}
      layout={layout}
      from={from}
      to={to}
    />
  );
}

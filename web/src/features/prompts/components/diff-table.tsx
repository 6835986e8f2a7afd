import { UnfoldVertical } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import type { Layout } from '@/features/prompts/compare-view';
import { foldRows, type LineDiff, type Row } from '@/features/prompts/line-diff';
import { useMediaQuery } from '@/hooks/use-media-query';
import { DiffLine } from './diff-line';

interface DiffTableProps {
  diff: LineDiff;
  layout: Layout;
  from: number;
  to: number;
}

/** The rows of a comparison; unchanged stretches are folded until asked for. */
export function DiffTable({ diff, layout, from, to }: DiffTableProps) {
  const blocks = useMemo(() => foldRows(diff.rows), [diff]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const isWide = useMediaQuery('(min-width: 48rem)');
  const split = layout === 'split' && isWide;
  return (
    <section aria-label="Differences" className="mt-4 overflow-hidden rounded-lg border bg-surface">
      <p className="flex flex-wrap gap-x-4 border-b px-4 py-2 text-sm">
        <span className="font-mono font-medium">
          {name(from)} → {name(to)}
        </span>
        <span className="text-success">+{diff.added} added</span>
        <span className="text-danger">−{diff.removed} removed</span>
      </p>
      <table className="w-full table-fixed border-collapse font-mono text-xs leading-[1.7]">
        <caption className="sr-only">
          Lines of {name(from)} and {name(to)}
        </caption>
        <Columns split={split} />
        {blocks.map((block, index) => (
          <tbody key={index}>
            {block.folded && !opened.has(index) ? (
              <FoldedRow
                count={block.rows.length}
                span={split ? 4 : 3}
                onOpen={() => {
                  setOpened(new Set([...opened, index]));
                }}
              />
            ) : (
              <Rows rows={block.rows} split={split} />
            )}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function name(version: number): string {
  return version === 0 ? 'empty' : `v${String(version)}`;
}

function Columns({ split }: { split: boolean }) {
  return (
    <colgroup>
      <col className="w-11" />
      <col className={split ? undefined : 'w-11'} />
      {split && <col className="w-11" />}
      <col />
    </colgroup>
  );
}

function Rows({ rows, split }: { rows: readonly Row[]; split: boolean }) {
  if (split) {
    return rows.map((row, index) => (
      <tr key={index}>
        <DiffLine line={row.left} kind={row.kind === 'changed' ? 'removed' : 'same'} />
        <DiffLine line={row.right} kind={row.kind === 'changed' ? 'added' : 'same'} />
      </tr>
    ));
  }
  return unifiedRows(rows);
}

/** Removed lines before added ones, as in a patch. */
function unifiedRows(rows: readonly Row[]): ReactNode[] {
  const drawn: ReactNode[] = [];
  let added: ReactNode[] = [];
  rows.forEach((row, index) => {
    if (row.kind === 'same') {
      drawn.push(...added);
      added = [];
      drawn.push(
        <tr key={index}>
          <DiffLine line={row.right} otherNumber={row.left?.number} kind="same" unified />
        </tr>,
      );
      return;
    }
    if (row.left) {
      drawn.push(
        <tr key={`${String(index)}-`}>
          <DiffLine line={row.left} kind="removed" unified />
        </tr>,
      );
    }
    if (row.right) {
      added.push(
        <tr key={`${String(index)}+`}>
          <DiffLine line={row.right} kind="added" unified />
        </tr>,
      );
    }
  });
  return [...drawn, ...added];
}

interface FoldedRowProps {
  count: number;
  span: number;
  onOpen: () => void;
}

function FoldedRow({ count, span, onOpen }: FoldedRowProps) {
  return (
    <tr>
      <td colSpan={span} className="border-y bg-raised p-0">
        <button
          type="button"
          className="flex min-h-8 w-full items-center justify-center gap-2 px-3 font-sans text-xs text-muted hover:text-foreground pointer-coarse:min-h-11"
          onClick={onOpen}
        >
          <UnfoldVertical aria-hidden="true" className="size-3.5" />
          Show {count} unchanged {count === 1 ? 'line' : 'lines'}
        </button>
      </td>
    </tr>
  );
}

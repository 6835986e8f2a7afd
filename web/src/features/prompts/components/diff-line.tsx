import { TemplateText } from '@/components/ui/template-text';
import type { Line, Part } from '@/features/prompts/line-diff';
import { cn } from '@/lib/cn';

type Kind = 'same' | 'added' | 'removed';

const SIGN: Record<Kind, string> = { same: ' ', added: '+', removed: '−' };

const ROW_COLOR: Record<Kind, string> = {
  same: '',
  added: 'bg-success-soft',
  removed: 'bg-danger-soft',
};

const WORD_COLOR: Record<Kind, string> = {
  same: '',
  added: 'bg-[#c9f2d6] dark:bg-[#1d4a31]',
  removed: 'bg-[#fbd5d5] dark:bg-[#552523]',
};

interface DiffLineProps {
  /** Absent where the other side has a line and this one has none. */
  line: Line | undefined;
  kind: Kind;
  /** One text column with both numbers before it. */
  unified?: boolean;
  /** The older number of an unchanged line; only when unified. */
  otherNumber?: number | undefined;
}

/** The cells of one side. A sign says what the colour says. */
export function DiffLine({ line, kind, unified = false, otherNumber }: DiffLineProps) {
  const numbers = unified
    ? [
        kind === 'added' ? undefined : (otherNumber ?? line?.number),
        kind === 'removed' ? undefined : line?.number,
      ]
    : [line?.number];
  const color = line ? ROW_COLOR[kind] : 'bg-raised';
  return (
    <>
      {numbers.map((number, index) => (
        <td key={index} className={cn('px-2 text-right align-top text-muted select-none', color)}>
          {number}
        </td>
      ))}
      <td
        className={cn('py-px pr-3 pl-1 align-top', !unified && 'border-r last:border-r-0', color)}
      >
        {line && (
          <span className="flex">
            <span aria-hidden="true" className="w-4 shrink-0 text-muted select-none">
              {SIGN[kind]}
            </span>
            <LineText kind={kind} parts={line.parts} />
          </span>
        )}
      </td>
    </>
  );
}

function LineText({ kind, parts }: { kind: Kind; parts: readonly Part[] }) {
  if (kind === 'same') {
    return <TemplateText text={parts.map(({ text }) => text).join('')} className="min-w-0" />;
  }
  const Mark = kind === 'added' ? 'ins' : 'del';
  // A line that is new or gone as a whole needs no mark on each of its words.
  const marksWords = parts.some(({ changed }) => !changed);
  return (
    <Mark className="min-w-0 no-underline">
      {parts.map(({ text, changed }, index) => (
        <span key={index} className={cn(changed && marksWords && ['rounded-sm', WORD_COLOR[kind]])}>
          <TemplateText text={text} />
        </span>
      ))}
    </Mark>
  );
}

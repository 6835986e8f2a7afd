import { Fragment, useMemo } from 'react';
import { cn } from '@/lib/cn';
import { scan, type Token } from '@/lib/compile/tokens';
import { isSystemVariable } from '@/lib/compile/system-variables';

export type TemplateMark = 'variable' | 'system' | 'escaped';

/** What a token is to a reader; the editor's decorations and this component agree through it. */
export function markOf(token: Pick<Token, 'kind' | 'name'>): TemplateMark {
  if (token.kind === 'escaped') return 'escaped';
  return isSystemVariable(token.name) ? 'system' : 'variable';
}

/** The class of each mark, defined in styles.css. */
export const MARK_CLASS: Record<TemplateMark, string> = {
  variable: 'template-variable',
  system: 'template-system',
  escaped: 'template-escaped',
};

const TITLE: Partial<Record<TemplateMark, string>> = {
  system: 'Filled in by Wildfire',
  escaped: 'Escaped: printed with braces, not filled in',
};

type TemplateTextProps = {
  text: string;
  /** Tokens of the text if they are known already; scanned otherwise. */
  tokens?: readonly Token[];
  className?: string;
};

/** A template with its variables highlighted. Text stays text: nothing in it is ever markup. */
export function TemplateText({ text, tokens, className }: TemplateTextProps) {
  const parts = useMemo(() => split(text, tokens ?? scan(text)), [text, tokens]);
  return (
    <span className={cn('font-mono break-words whitespace-pre-wrap', className)}>
      {parts.map((part) =>
        part.mark ? (
          <span
            key={part.start}
            className={MARK_CLASS[part.mark]}
            title={TITLE[part.mark]}
            data-mark={part.mark}
          >
            {part.text}
          </span>
        ) : (
          <Fragment key={part.start}>{part.text}</Fragment>
        ),
      )}
    </span>
  );
}

type Part = { start: number; text: string; mark?: TemplateMark };

/** Surplus braces of an uneven run stay plain text, as the engine prints them. */
function split(text: string, tokens: readonly Token[]): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const token of tokens) {
    const start = token.start + token.opening - token.depth;
    const end = token.end - token.closing + token.depth;
    if (start > at) parts.push({ start: at, text: text.slice(at, start) });
    parts.push({ start, text: text.slice(start, end), mark: markOf(token) });
    at = end;
  }
  if (at < text.length) parts.push({ start: at, text: text.slice(at) });
  return parts;
}

/**
 * The lines two texts differ in, paired for reading side by side, with the words that changed
 * inside a pair.
 */
import { diffArrays } from 'diff';
import { scan } from '@/lib/compile/tokens';

/** A stretch of a line; changed ones are what the other side does not have. */
export interface Part {
  text: string;
  changed: boolean;
}

export interface Line {
  number: number;
  parts: Part[];
}

/** One row of the comparison. A row with two different lines is a changed line. */
export interface Row {
  kind: 'same' | 'changed';
  left?: Line;
  right?: Line;
}

export interface LineDiff {
  rows: Row[];
  added: number;
  removed: number;
}

export interface DiffOptions {
  ignoreWhitespace?: boolean;
}

/** Texts that share next to nothing take for ever to compare well; nobody reads that comparison. */
const TIME_LIMIT_MS = 1000;

/** Words are compared only in lines a person would read word by word. */
const WORD_LIMIT = 2000;

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function whole(text: string, changed: boolean): Part[] {
  return [{ text, changed }];
}

/** Below this share of common text, two lines are two lines and not one that was changed. */
const LIKENESS = 0.3;

/** Words, blanks and signs of a line; a variable with its braces is one word. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  const addText = (text: string) => words.push(...(text.match(/\s+|\w+|[^\s\w]/gu) ?? []));
  let at = 0;
  for (const { start, end } of scan(line)) {
    addText(line.slice(at, start));
    words.push(line.slice(start, end));
    at = end;
  }
  addText(line.slice(at));
  return words;
}

/** The words of a changed line on both sides. */
function wordParts(left: string, right: string): { left: Part[]; right: Part[] } {
  if (left.length + right.length > WORD_LIMIT) {
    return { left: whole(left, true), right: whole(right, true) };
  }
  const changes = diffArrays(splitWords(left), splitWords(right));
  const side = (skip: 'added' | 'removed') =>
    changes
      .filter((change) => !change[skip])
      .map(({ value, added, removed }) => ({ text: value.join(''), changed: added || removed }));
  const common = changes.filter(({ added, removed }) => !added && !removed);
  const likeness = common
    .flatMap(({ value }) => value)
    .join('')
    .trim().length;
  if (likeness < LIKENESS * Math.max(left.length, right.length)) {
    return { left: whole(left, true), right: whole(right, true) };
  }
  return { left: side('added'), right: side('removed') };
}

function sameRow(left: number, right: number, leftText: string, rightText: string): Row {
  return {
    kind: 'same',
    left: { number: left, parts: whole(leftText, false) },
    right: { number: right, parts: whole(rightText, false) },
  };
}

/** Removed and added lines of one place, side by side as long as both last. */
function changedRows(
  removed: readonly string[],
  added: readonly string[],
  at: { left: number; right: number },
): Row[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
    const [leftText, rightText] = [removed[index], added[index]];
    const words =
      leftText !== undefined && rightText !== undefined
        ? wordParts(leftText, rightText)
        : { left: whole(leftText ?? '', true), right: whole(rightText ?? '', true) };
    return {
      kind: 'changed',
      ...(leftText === undefined ? {} : { left: { number: at.left + index, parts: words.left } }),
      ...(rightText === undefined
        ? {}
        : { right: { number: at.right + index, parts: words.right } }),
    };
  });
}

function sameLine({ ignoreWhitespace = false }: DiffOptions) {
  const reduce = (line: string) => (ignoreWhitespace ? line.replace(/\s+/g, '') : line);
  return (left: string, right: string) => reduce(left) === reduce(right);
}

/** Compares two texts; undefined when they are too different to do so in reasonable time. */
export function diffLines(
  before: string,
  after: string,
  options: DiffOptions = {},
): LineDiff | undefined {
  const [leftLines, rightLines] = [splitLines(before), splitLines(after)];
  const changes = diffArrays(leftLines, rightLines, {
    comparator: sameLine(options),
    timeout: TIME_LIMIT_MS,
  });
  if (changes === undefined) return undefined;
  const rows: Row[] = [];
  const at = { left: 1, right: 1 };
  let pending: string[] = [];
  const flush = (added: string[]) => {
    rows.push(...changedRows(pending, added, at));
    at.left += pending.length;
    at.right += added.length;
    pending = [];
  };
  for (const { value, added, removed } of changes) {
    if (removed) {
      pending = value;
    } else if (added) {
      flush(value);
    } else {
      flush([]);
      for (const text of value) {
        rows.push(sameRow(at.left, at.right, leftLines[at.left - 1] ?? text, text));
        at.left += 1;
        at.right += 1;
      }
    }
  }
  flush([]);
  const changed = rows.filter(({ kind }) => kind === 'changed');
  return {
    rows,
    added: changed.filter(({ right }) => right !== undefined).length,
    removed: changed.filter(({ left }) => left !== undefined).length,
  };
}

/** Unchanged lines kept around a change. */
export const CONTEXT_LINES = 3;

/** A run of rows that is shown, or one of unchanged rows that is folded away. */
export interface Block {
  folded: boolean;
  rows: Row[];
}

/** Folds unchanged rows that are far from any change. */
export function foldRows(rows: readonly Row[]): Block[] {
  const near = new Uint8Array(rows.length);
  rows.forEach(({ kind }, index) => {
    if (kind === 'changed')
      near.fill(1, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  });
  const blocks: Block[] = [];
  rows.forEach((row, index) => {
    const folded = near[index] === 0;
    const last = blocks.at(-1);
    if (last?.folded === folded) last.rows.push(row);
    else blocks.push({ folded, rows: [row] });
  });
  return blocks;
}

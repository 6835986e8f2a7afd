import { CONTEXT_LINES, diffLines, foldRows, type Line, type Row } from './line-diff';

const text = (line: Line | undefined) => line?.parts.map((part) => part.text).join('');
const brief = ({ kind, left, right }: Row) =>
  kind === 'same' ? `  ${text(left) ?? ''}` : `- ${text(left) ?? ''} | + ${text(right) ?? ''}`;
const rows = (before: string, after: string) => diffLines(before, after)?.rows.map(brief);

test('unchanged lines keep their place, changed ones stand side by side', () => {
  expect(rows('a\nb\nc', 'a\nB\nc')).toEqual(['  a', '- b | + B', '  c']);
  expect(rows('a\nb', 'a\nb\nc')).toEqual(['  a', '  b', '-  | + c']);
  expect(rows('a\nb', 'b')).toEqual(['- a | + ', '  b']);
});

test('the empty text has no line', () => {
  expect(diffLines('', 'a\nb')).toMatchObject({ added: 2, removed: 0 });
  expect(diffLines('a', '')).toMatchObject({ added: 0, removed: 1 });
  expect(diffLines('', '')).toMatchObject({ rows: [], added: 0, removed: 0 });
});

test('lines are numbered on both sides', () => {
  const found = diffLines('a\nb\nc', 'x\ny\nb\nc')?.rows ?? [];
  expect(found.map(({ left, right }) => [left?.number, right?.number])).toEqual([
    [1, 1],
    [undefined, 2],
    [2, 3],
    [3, 4],
  ]);
});

test('the words that changed are marked', () => {
  const row = diffLines('Hello dear {name}', 'Hello {name}!')?.rows[0];
  const changed = (line: Line | undefined) =>
    line?.parts.filter((part) => part.changed).map((part) => part.text);
  expect(changed(row?.left)?.join('')).toContain('dear');
  expect(changed(row?.right)?.join('')).toContain('!');
  expect(text(row?.left)).toBe('Hello dear {name}');
  expect(text(row?.right)).toBe('Hello {name}!');
});

test('whitespace can be left out of account', () => {
  const options = { ignoreWhitespace: true };
  const diff = diffLines('a  b\nc', ' a b\nd', options);
  expect(diff).toMatchObject({ added: 1, removed: 1 });
  expect(diff?.rows.map(brief)).toEqual(['  a  b', '- c | + d']);
  expect(text(diff?.rows[0]?.right)).toBe(' a b');
});

test('rows far from a change are folded', () => {
  const before = Array.from({ length: 30 }, (_, index) => `line ${String(index)}`);
  const after = before.with(15, 'changed');
  const blocks = foldRows(diffLines(before.join('\n'), after.join('\n'))?.rows ?? []);
  expect(blocks.map((block) => [block.folded, block.rows.length])).toEqual([
    [true, 15 - CONTEXT_LINES],
    [false, 2 * CONTEXT_LINES + 1],
    [true, 14 - CONTEXT_LINES],
  ]);
});

test('equal long texts and very different ones are both answered', () => {
  const long = Array.from({ length: 5000 }, (_, index) => `line ${String(index)}`).join('\n');
  expect(diffLines(long, `${long}\nmore`)).toMatchObject({ added: 1, removed: 0 });
});

test('a variable is one word, and lines without much in common are not compared by words', () => {
  const changed = (before: string, after: string) => {
    const row = diffLines(before, after)?.rows[0];
    return [row?.left, row?.right].map((line) =>
      line?.parts.filter((part) => part.changed).map((part) => part.text),
    );
  };
  expect(changed('Dear {user_name}, hello', 'Dear {name}, hello')).toEqual([
    ['{user_name}'],
    ['{name}'],
  ]);
  expect(changed('Hi {name}!', 'You are an agent for {company}.')).toEqual([
    ['Hi {name}!'],
    ['You are an agent for {company}.'],
  ]);
});

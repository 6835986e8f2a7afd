import { compile } from './compile';
import { LINT_LIMIT, differByOne, type LintCode } from './lints';

const lints = (template: string, variables = {}) => compile(template, variables).warnings;
const codes = (template: string, variables = {}): LintCode[] =>
  lints(template, variables).map(({ code }) => code);

test('an escaped name offers to become a variable', () => {
  const template = 'Hello {{name}}';
  const [lint] = lints(template, { name: 'Ada' });
  expect(lint).toMatchObject({ code: 'escaped_variable', replacement: '{name}' });
  expect(template.slice(lint?.start, lint?.end)).toBe('{{name}}');
  expect(lint?.message).toBe('{{name}} is escaped and prints {name}. Did you mean {name}?');
});

test.each(['{% if a %}', '{{ a | upper }}', '{{a|upper}}'])('%s is not executed', (template) => {
  expect(codes(template)).toContain('not_executed');
});

test.each(['a | b', '{a} | {b}', '|', '{"a": {"b": 1}}', '{a} {b}', '{"a":{a}}', '{{"q": "{x}"}}'])(
  '%s needs no advice',
  (template) => {
    expect(codes(template)).toEqual([]);
  },
);

test('a lower-case system name is pointed out unless it has a value', () => {
  expect(lints('{today}')).toMatchObject([
    { code: 'lowercase_system_name', replacement: '{TODAY}' },
  ]);
  expect(codes('{today}', { today: 'x' })).toEqual([]);
});

test('a name one letter away from a given one is pointed out', () => {
  expect(lints('{nmae} {namee}', { name: 'Ada' })).toMatchObject([
    { code: 'near_miss', replacement: '{name}', start: 7 },
  ]);
  expect(codes('{TODAYS}')).toEqual(['near_miss']);
});

test.each(['{{x}', '{x}}', '{ {x}}}'])('%s is not balanced', (template) => {
  expect(codes(template, { x: 1 })).toEqual(['unbalanced_braces']);
});

test('variables without anything between them are pointed out', () => {
  expect(lints('{a}{b}')).toMatchObject([{ code: 'undelimited', start: 0, end: 6 }]);
});

test('advice comes in reading order and ends at the limit', () => {
  const found = lints('{{a}} {%'.repeat(LINT_LIMIT));
  expect(found).toHaveLength(LINT_LIMIT);
  const starts = found.map(({ start }) => start);
  expect(starts).toEqual([...starts].sort((left, right) => left - right));
});

test.each([
  ['abc', 'abd', true],
  ['abc', 'abcd', true],
  ['abc', 'bc', true],
  ['abc', 'abc', false],
  ['abc', 'acb', false],
  ['abc', 'abcde', false],
])('%s and %s differ by one: %p', (left, right, expected) => {
  expect(differByOne(left, right)).toBe(expected);
  expect(differByOne(right, left)).toBe(expected);
});

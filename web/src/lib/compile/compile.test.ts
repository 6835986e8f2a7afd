import { MissingVariablesError, compile, variableNames, type Variables } from './compile';
import { UnknownTimezoneError } from './system-variables';
import { InvalidValueError } from './values';

const now = new Date('2026-11-20T08:30:00Z');
const variables: Variables = {
  x: 'V',
  name: 'Ada',
  n: 3,
  b: true,
  z: null,
  o: { a: [1, 'é'] },
  inj: '{name}',
};
const output = (template: string, values: Variables = variables) =>
  compile(template, values, { now }).output;

test.each([
  ['{name}', 'Ada'],
  ['{ name }', 'Ada'],
  ['{{name}}', '{name}'],
  ['{{{name}}}', '{Ada}'],
  ['{{{{name}}}}', '{{name}}'],
  ['{"a":{x}}', '{"a":V}'],
  ['{{x}', '{V'],
  ['{x}}', 'V}'],
  ['{missing} {name}', '{missing} Ada'],
  ['{n}/{b}/{z}/{o}', '3/true//{"a":[1,"é"]}'],
  ['{inj}', '{name}'],
  ['{{"q": "{x}"}}', '{{"q": "V"}}'],
  ['{\nname\n}', '{\nname\n}'],
])('%j compiles to %j', (template, expected) => {
  expect(output(template)).toBe(expected);
});

test.each(['{}', '{ }', '{1a}', '{a-b}', '{a.b}', '{a:>10}', '{na me}', '{名前}', '{', '}', ''])(
  '%j is not a variable',
  (template) => {
    expect(output(template)).toBe(template);
    expect(variableNames(template)).toEqual([]);
  },
);

test('a name of 64 characters is a variable, one of 65 is not', () => {
  const longest = 'a'.repeat(64);
  expect(variableNames(`{${longest}}`)).toEqual([longest]);
  expect(variableNames(`{${longest}a}`)).toEqual([]);
});

test('blanks around an escaped or a missing name stay as written', () => {
  expect(output('{{ name }}')).toBe('{ name }');
  expect(output('{ nobody }')).toBe('{ nobody }');
  expect(output('{{{nobody}}}')).toBe('{{nobody}}');
});

test('values are data: neither tokens nor replacement patterns in them mean anything', () => {
  expect(output('{a}{b}', { a: '{b}', b: '$1 $& \\1 $$' })).toBe('{b}$1 $& \\1 $$');
});

test('inherited properties are not values', () => {
  const result = compile('{constructor} {__proto__} {toString}', {}, { now });
  expect(result.output).toBe('{constructor} {__proto__} {toString}');
  expect(result.missing).toEqual(['constructor', '__proto__', 'toString']);
});

test('an empty string is a value', () => {
  const result = compile('[{a}]', { a: '' }, { now });
  expect(result.output).toBe('[]');
  expect(result.missing).toEqual([]);
});

test('numbers print in their shortest form', () => {
  expect(output('{a} {b} {c} {d}', { a: 1.0, b: 1e21, c: -0, d: 0.1 })).toBe('1 1e+21 0 0.1');
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, [Number.NaN], new Uint8Array(2), 1n])(
  '%p cannot be written',
  (value) => {
    expect(() => compile('{a}', { a: value }, { now })).toThrow(InvalidValueError);
  },
);

test('missing names keep the order of first use, unused ones are sorted', () => {
  const result = compile('{b} {a} {b}', { z: 1, q: 1, TODAY: 1, é: 1 }, { now });
  expect(result.missing).toEqual(['b', 'a']);
  expect(result.unused).toEqual(['TODAY', 'q', 'z', 'é']);
});

test('a strict compile names what is missing', () => {
  const strict = () => compile('{a} {b}', { a: 1 }, { now, strict: true });
  expect(strict).toThrow(MissingVariablesError);
  expect(strict).toThrow('Missing variables: b');
});

test('system variables come from one reading of the clock and win over given values', () => {
  const result = compile(
    '{TODAY}|{NOW}|{TIMESTAMP}|{DATE}|{TIME}|{today}',
    { TODAY: 'x' },
    { now },
  );
  expect(result.output).toBe(
    '2026-11-20|2026-11-20T08:30:00Z|1795163400|2026-11-20|08:30:00|{today}',
  );
  expect(result.systemVariables).toEqual({
    TODAY: '2026-11-20',
    NOW: '2026-11-20T08:30:00Z',
    TIMESTAMP: 1_795_163_400,
    DATE: '2026-11-20',
    TIME: '08:30:00',
  });
});

test.each([
  ['Asia/Kolkata', '2026-11-20T14:00:00+05:30'],
  ['America/St_Johns', '2026-11-20T05:00:00-03:30'],
  ['Pacific/Kiritimati', '2026-11-20T22:30:00+14:00'],
  ['Pacific/Pago_Pago', '2026-11-19T21:30:00-11:00'],
])('%s shows its own wall clock', (timezone, expected) => {
  expect(compile('{NOW}', {}, { now, timezone }).output).toBe(expected);
});

test('an unknown time zone is refused', () => {
  expect(() => compile('', {}, { now, timezone: 'Mars/Olympus' })).toThrow(UnknownTimezoneError);
});

test('variable names are unique, in order of first use, without system names and escapes', () => {
  expect(variableNames('{b} {a} {b} {TODAY} {{c}} {{{d}}}')).toEqual(['b', 'a', 'd']);
});

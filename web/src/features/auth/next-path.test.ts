import { safeNext } from './next-path';

test.each([
  ['/prompts', '/prompts'],
  ['/prompts/1?tab=a#b', '/prompts/1?tab=a#b'],
  ['/a/../b', '/b'],
])('%p is a page of this site', (next, expected) => {
  expect(safeNext(next)).toBe(expected);
});

test.each([
  null,
  undefined,
  '',
  'prompts',
  'https://evil.test/',
  '//evil.test',
  '/\\evil.test',
  '/\t/evil.test',
  'javascript:alert(1)',
])('%p is refused', (next) => {
  expect(safeNext(next)).toBeUndefined();
});

import {
  KEY_LIMIT,
  KEY_MESSAGE,
  TAGS_LIMIT,
  addTag,
  deriveKey,
  keyProblem,
  randomKey,
} from './key';

test.each([
  ['Customer Welcome', 'customer-welcome'],
  ['  --Hello,   World!! ', 'hello-world'],
  ['GPT-4 v2', 'gpt-4-v2'],
  ['Übersetzung', 'bersetzung'],
  ['日本語', ''],
  ['a'.repeat(80), 'a'.repeat(KEY_LIMIT)],
  [`${'a'.repeat(KEY_LIMIT - 1)} b`, 'a'.repeat(KEY_LIMIT - 1)],
])('%j becomes %j', (name, expected) => {
  expect(deriveKey(name)).toBe(expected);
});

test.each(['a', 'a-b', 'gpt-4', '0'])('%s is a key', (key) => {
  expect(keyProblem(key)).toBeUndefined();
});

test.each(['', '-', '-a', 'a-', 'a--b', 'A', 'a_b', 'a b', 'é'])('%j is not a key', (key) => {
  expect(keyProblem(key)).toBe(KEY_MESSAGE);
});

test('the rule is said as specified', () => {
  expect(KEY_MESSAGE).toBe('Only lowercase letters, numbers, and hyphens allowed');
});

test('long and reserved keys are refused', () => {
  expect(keyProblem('a'.repeat(65))).toBe('At most 64 characters');
  expect(keyProblem('new')).toBe('"new" is reserved. Choose another key.');
});

test('a name without usable characters gets a random key', () => {
  expect(randomKey()).toMatch(/^prompt-[0-9a-f]{6}$/);
});

test('tags are trimmed, not empty and without duplicates', () => {
  expect(addTag(['a'], ' b ')).toEqual(['a', 'b']);
  expect(addTag(['a'], 'a')).toEqual(['a']);
  expect(addTag(['a'], '  ')).toEqual(['a']);
  const full = Array.from({ length: TAGS_LIMIT }, (_, index) => `t${String(index)}`);
  expect(addTag(full, 'more')).toEqual(full);
});

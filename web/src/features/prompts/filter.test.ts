import { makePrompt } from '@/testing/prompt-data';
import { ALL_TAGS, filterPrompts, readFilter, tagOptions, writeFilter } from './filter';

const prompts = [
  makePrompt({ id: 1, name: 'Welcome', key: 'greeting', description: 'Says hello', tags: ['b'] }),
  makePrompt({ id: 2, name: 'Review', key: 'code-review', tags: ['a', 'b', 'Code'] }),
];
const ids = (part: { search?: string; tag?: string }) =>
  filterPrompts(prompts, { search: '', tag: ALL_TAGS, archived: false, ...part }).map(
    ({ id }) => id,
  );

test('the search ignores case and looks at name, key, description and tags', () => {
  expect(ids({ search: 'WELCOME' })).toEqual([1]);
  expect(ids({ search: 'code-re' })).toEqual([2]);
  expect(ids({ search: ' hello ' })).toEqual([1]);
  expect(ids({ search: 'code' })).toEqual([2]);
  expect(ids({ search: 'nothing' })).toEqual([]);
});

test('the tag filter is exact', () => {
  expect(ids({ tag: 'b' })).toEqual([1, 2]);
  expect(ids({ tag: 'Code' })).toEqual([2]);
  expect(ids({ tag: 'code' })).toEqual([]);
  expect(ids({ tag: ALL_TAGS })).toEqual([1, 2]);
});

test('the options are the unique tags in order', () => {
  expect(tagOptions(prompts)).toEqual(['a', 'b', 'Code']);
});

test('a filter survives the address', () => {
  const filter = { search: 'x y', tag: 'a&b', archived: true };
  expect(readFilter(writeFilter(filter))).toEqual(filter);
  expect(writeFilter({ search: '', tag: ALL_TAGS, archived: false }).toString()).toBe('');
});

test('a list of thousands is filtered like a short one', () => {
  const many = Array.from({ length: 5000 }, (_, index) => makePrompt({ id: index }));
  const filter = { search: 'prompt 49', tag: ALL_TAGS, archived: false };
  expect(filterPrompts(many, filter).length).toBe(111);
});

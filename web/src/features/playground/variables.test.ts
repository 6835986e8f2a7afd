import { SUGGESTIONS, suggestVariables } from './suggestions';
import { enteredValues, listVariables } from './variables';

test('variables keep the order of the template and what was entered for them', () => {
  const variables = listVariables('{b} {a} {b} {TODAY} {{c}}', { a: { value: 'x' } });
  expect(variables.map(({ name, value }) => [name, value])).toEqual([
    ['b', ''],
    ['a', 'x'],
  ]);
  expect(enteredValues(variables)).toEqual({ a: 'x' });
});

test('a misfit blocks only when the type was declared', () => {
  const [guessed] = listVariables('{age}', { age: { value: 'old' } });
  expect(guessed).toMatchObject({ type: 'number', blocking: false });
  expect(guessed?.validation.isValid).toBe(false);
  const [chosen] = listVariables('{age}', { age: { value: 'old', chosenType: 'number' } });
  expect(chosen?.blocking).toBe(true);
  const [suggested] = listVariables('{deadline}', { deadline: { value: 'soon' } });
  expect(suggested).toMatchObject({ type: 'date', suggested: true, blocking: true });
});

test('a chosen type wins over the guess', () => {
  const [variable] = listVariables('{age}', { age: { value: 'old', chosenType: 'text' } });
  expect(variable).toMatchObject({ type: 'text', blocking: false });
});

test('inherited properties are not inputs', () => {
  expect(listVariables('{constructor}', {})[0]?.value).toBe('');
});

test('all suggested variables are known', () => {
  expect(SUGGESTIONS.map(({ name }) => name)).toEqual([
    'persona',
    'tone',
    'format',
    'user_name',
    'user_email',
    'task',
    'context',
    'language',
    'audience',
    'output_length',
    'industry',
    'website_url',
    'deadline',
  ]);
  expect(SUGGESTIONS.every(({ triggers }) => triggers.length > 0)).toBe(true);
});

test('suggestions follow whole words and leave out what the template uses', () => {
  const names = (template: string) => suggestVariables(template).map(({ name }) => name);
  expect(names('Translate this')).toEqual(['language']);
  expect(names('Translate this to {language}')).toEqual([]);
  expect(names('translatesque')).toEqual([]);
  expect(names('')).toEqual([]);
});

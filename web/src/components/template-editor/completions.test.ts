import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { completionsFor } from './completions';

/** Completions at the `|` of a text. */
function complete(text: string, suggestions: string[] = []) {
  const at = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', '') });
  return completionsFor(() => suggestions)(new CompletionContext(state, at, false));
}

const labels = (text: string, suggestions?: string[]) =>
  complete(text, suggestions)?.options.map(({ label }) => label);

test('a brace offers the names of the template, suggestions and the system’s', () => {
  expect(labels('{name} {|', ['tone', 'name'])).toEqual([
    'name',
    'tone',
    'TODAY',
    'NOW',
    'TIMESTAMP',
    'DATE',
    'TIME',
  ]);
});

test('text outside braces offers nothing', () => {
  expect(complete('name|')).toBeNull();
  expect(complete('{name} |')).toBeNull();
});

test('the closing brace comes along only where it is missing', () => {
  expect(complete('{na|', ['name'])?.options[0]).toMatchObject({ label: 'name', apply: 'name}' });
  expect(complete('{na|}', ['name'])?.options[0]).toMatchObject({ label: 'name', apply: 'name' });
});

test('what is being typed is not offered to itself', () => {
  expect(labels('{na|}')).not.toContain('na');
  expect(complete('{ na|')?.from).toBe(2);
});

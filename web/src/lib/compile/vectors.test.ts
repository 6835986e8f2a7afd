/** The vectors every implementation of the engine runs. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compile, type CompileOptions, type Variables } from './compile';

interface Case {
  name: string;
  template: string;
  variables?: Variables;
  non_finite?: Record<string, 'NaN' | 'Infinity' | '-Infinity'>;
  options?: Omit<CompileOptions, 'now'> & { now?: string };
  output?: string;
  missing?: string[];
  unused?: string[];
  error?: string;
}

interface Vectors {
  variables: Variables;
  now: string;
  cases: Case[];
}

const file = path.resolve(__dirname, '../../../../prompt-api/vectors/compile.json');
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

function run({ template, variables, non_finite, options }: Case) {
  const base = variables ?? (non_finite === undefined ? vectors.variables : {});
  const extra = Object.entries(non_finite ?? {}).map(
    ([name, value]) => [name, Number(value)] as const,
  );
  // Built from entries, as JSON.parse does, so that a member named __proto__ is an own property.
  const given = Object.fromEntries([...Object.entries(base), ...extra]);
  return compile(template, given, { ...options, now: new Date(options?.now ?? vectors.now) });
}

function refusal(vector: Case): unknown {
  try {
    return run(vector);
  } catch (error) {
    return error;
  }
}

test.each(vectors.cases.filter(({ error }) => error === undefined))('$name', (vector) => {
  const { output, missing, unused } = run(vector);
  expect(output).toBe(vector.output);
  expect(missing).toEqual(vector.missing ?? missing);
  expect(unused).toEqual(vector.unused ?? unused);
});

test.each(vectors.cases.filter(({ error }) => error !== undefined))('$name', (vector) => {
  const { error: code, missing } = vector;
  expect(refusal(vector)).toMatchObject(missing === undefined ? { code } : { code, missing });
});

/**
 * Compiles templates from standard input so that another implementation can be compared with ours.
 *
 * One JSON object per line in ({template, variables, options: {strict?, timezone?, now?}}), one per line out.
 * Run: node scripts/compile-ndjson.mjs < cases.ndjson > results.ndjson
 */
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const entry = fileURLToPath(new URL('../src/lib/compile/compile.ts', import.meta.url));

/** Bundles the engine in memory: it is TypeScript with extensionless imports. */
async function loadEngine() {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { ssr: entry, write: false },
  });
  const [output] = Array.isArray(result) ? result : [result];
  const [{ code }] = output.output;
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}

const { compile } = await loadEngine();

function answer(line) {
  const { template, variables, options = {} } = JSON.parse(line);
  const now = options.now === undefined ? new Date() : new Date(options.now);
  try {
    const result = compile(template, variables, { ...options, now });
    const { output, missing, unused, warnings, systemVariables } = result;
    return { output, missing, unused, warnings, system: systemVariables };
  } catch (error) {
    return { error: error.code ?? String(error), missing: error.missing };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line !== '') process.stdout.write(`${JSON.stringify(answer(line))}\n`);
}

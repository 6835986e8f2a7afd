/**
 * Fails when a page's first load outgrows its budget. Run after a build: it follows the build's
 * manifest from the entry through everything the page imports, and sums the gzip sizes.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const DIST = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'));
const ENTRY = 'index.html';
const SHELL = 'src/app/shell/app-layout.tsx';
const route = (name) => `src/app/routes/${name}.tsx`;

/** Every signed-in page needs the client to look up the session. */
const SUPABASE = Object.keys(manifest).find((key) => key.startsWith('_supabase-'));

/** What is loaded at once, and how many kB (1000 bytes, gzip) it may weigh together. */
const BUDGETS = [
  { page: 'landing', loads: [route('landing')], limit: 130 },
  { page: 'waitlist', loads: [route('waitlist')], limit: 130 },
  { page: 'sign-in', loads: [route('sign-in')], limit: 130 },
  { page: 'passwordless', loads: [route('passwordless')], limit: 130 },
  { page: 'dashboard', loads: [SHELL, SUPABASE, route('dashboard')], limit: 215 },
  {
    page: 'palette',
    loads: ['src/app/shell/command-palette.tsx'],
    limit: 10,
    // Opened on a page that stands already: only what comes on top counts, without the dialog
    // (15 kB) that it shares with the help sheet and every other dialog.
    after: [SHELL, route('dashboard'), 'src/app/shell/help-sheet.tsx'],
  },
];

function withImports(key, seen = new Set()) {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`The build has no chunk for ${key}`);
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const imported of chunk.imports ?? []) withImports(imported, seen);
  return seen;
}

const weigh = (file) => gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length;
const sum = (files) => [...files].reduce((total, file) => total + weigh(file), 0) / 1000;

const entry = withImports(ENTRY);
const css = manifest[ENTRY].css ?? [];
let failed = false;

function report(name, size, limit) {
  const over = size > limit;
  failed ||= over;
  console.log(
    `${over ? '✗' : '✓'} ${name.padEnd(14)} ${size.toFixed(1).padStart(6)} of ${limit} kB`,
  );
}

for (const { page, loads, limit, after } of BUDGETS) {
  const files = new Set(after ? [] : [...entry, 'theme.js']);
  for (const key of loads) for (const file of withImports(key)) files.add(file);
  for (const key of after ?? []) for (const file of withImports(key)) files.delete(file);
  if (after) for (const file of entry) files.delete(file);
  report(page, sum(files), limit);
}
report('stylesheet', sum(css), 20);

process.exitCode = failed ? 1 : 0;

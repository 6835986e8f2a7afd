import { compile } from './compile';
import { scan } from './tokens';

function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4; round += 1) {
    const started = performance.now();
    run();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

// A quadratic scan makes this ratio 100; the margin is for a busy machine.
const RATIO_LIMIT = 40;

test.each([
  ['opening braces', '{'],
  ['opening braces and blanks', '{  '],
  ['names without an end', '{a'],
  ['closed names', '{a}'],
  ['doubled names', '{{a}}'],
  ['statements', '{%'],
  ['pipes', '{{a|'],
])('ten times as many %s take about ten times as long', (_name, piece) => {
  const small = piece.repeat(10_000);
  const large = piece.repeat(100_000);
  compile(small);
  const base = Math.max(
    fastest(() => compile(small)),
    0.05,
  );
  expect(fastest(() => compile(large)) / base).toBeLessThan(RATIO_LIMIT);
});

test('a run of 100,000 braces holds no token', () => {
  expect(scan('{'.repeat(100_000))).toEqual([]);
});

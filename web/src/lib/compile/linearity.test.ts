import { compile } from './compile';
import { scan } from './tokens';

function duration(run: () => void): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

// A quadratic scan makes this ratio 100; the margin is for the garbage collector.
const RATIO_LIMIT = 40;

/** A busy machine slows single runs down, so the best of many counts, and the first good one ends. */
const ROUNDS = 25;

function bestRatio(small: () => void, large: () => void): number {
  let base = Number.POSITIVE_INFINITY;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    base = Math.min(base, Math.max(duration(small), 0.05));
    best = Math.min(best, duration(large));
    if (round > 2 && best / base < RATIO_LIMIT) break;
  }
  return best / base;
}

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
  const ratio = bestRatio(
    () => compile(small),
    () => compile(large),
  );
  expect(ratio).toBeLessThan(RATIO_LIMIT);
});

test('a run of 100,000 braces holds no token', () => {
  expect(scan('{'.repeat(100_000))).toEqual([]);
});

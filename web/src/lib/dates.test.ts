import { formatDate, formatRelative } from './dates';

const now = new Date('2026-11-20T12:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);

test.each([
  [5, 'just now'],
  [120, '2 minutes ago'],
  [7200, '2 hours ago'],
  [86_400, 'yesterday'],
  [3 * 86_400, '3 days ago'],
])('%d seconds ago reads as %s', (seconds, expected) => {
  expect(formatRelative(before(seconds), now)).toBe(expected);
});

test('older dates say when', () => {
  const date = before(30 * 86_400);
  expect(formatRelative(date, now)).toBe(formatDate(date));
  expect(formatDate(date)).toMatch(/2026/);
});

/** Dates as people read them, by the browser's own rules. */

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Older dates say when, not how long ago. */
const RELATIVE_LIMIT_SECONDS = 7 * 86_400;

export function formatDate(date: Date): string {
  return DATE.format(date);
}

export function formatRelative(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000);
  if (Math.abs(seconds) > RELATIVE_LIMIT_SECONDS) return formatDate(date);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return unit === 'second' ? 'just now' : RELATIVE.format(Math.round(seconds / size), unit);
}

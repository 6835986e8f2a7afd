/** Numbers of the dashboard as text. */

const COUNT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const SECONDS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** Stands where a number is not known. */
export const UNKNOWN = '—';

export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? UNKNOWN : COUNT.format(count);
}

export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return UNKNOWN;
  if (milliseconds < 1) return '<1ms';
  if (milliseconds < 1000) return `${SECONDS.format(Math.round(milliseconds))}ms`;
  return `${SECONDS.format(milliseconds / 1000)}s`;
}

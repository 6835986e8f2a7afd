/** What the states of the server's parts mean to a reader, in the order of how bad they are. */
import type { Health } from '@/lib/prompt-api/schemas';

export type Severity = 'good' | 'warning' | 'bad' | 'unknown';

const GOOD = new Set(['ok', 'operational', 'healthy', 'available']);

export function severityOf(status: string): Severity {
  if (GOOD.has(status)) return 'good';
  // What was never set up is neither well nor broken.
  if (status === 'not_configured') return 'unknown';
  return status === 'degraded' ? 'warning' : 'bad';
}

/** The words for a state: `not_configured` reads as `not configured`. */
export function statusText(status: string): string {
  return status.replaceAll('_', ' ');
}

export interface Banner {
  severity: Severity;
  text: string;
}

/** How the whole is: the worst of its parts. */
export function bannerOf(health: Health | undefined, failed: boolean): Banner {
  if (failed) return { severity: 'bad', text: 'The server cannot be reached' };
  if (health === undefined) return { severity: 'unknown', text: 'Checking the systems' };
  const troubled = health.components.filter(({ status }) =>
    ['warning', 'bad'].includes(severityOf(status)),
  );
  const isDown = health.status === 'down' || troubled.some(({ status }) => status === 'down');
  if (troubled.length === 0 && severityOf(health.status) === 'good') {
    return { severity: 'good', text: 'All systems operational' };
  }
  const names = troubled.map(({ name, status }) => `${name} ${statusText(status)}`).join(', ');
  const text = names === '' ? (health.message ?? statusText(health.status)) : names;
  return { severity: isDown ? 'bad' : 'warning', text };
}

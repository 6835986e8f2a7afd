import type { Health } from '@/lib/prompt-api/schemas';
import { bannerOf, severityOf, statusText } from './health-status';
import { formatCount, formatDuration } from './numbers';

const health = (status: string, parts: Record<string, string>): Health => ({
  status,
  components: Object.entries(parts).map(([name, state]) => ({ name, status: state })),
});

const wellParts = {
  'API Server': 'operational',
  Database: 'healthy',
  'Cache Layer': 'operational',
  'AI Models': 'available',
};

test('all is well when every part is', () => {
  expect(bannerOf(health('ok', wellParts), false)).toEqual({
    severity: 'good',
    text: 'All systems operational',
  });
});

test('a part nobody set up is no trouble', () => {
  const parts = { ...wellParts, 'AI Models': 'not_configured' };
  expect(bannerOf(health('ok', parts), false).severity).toBe('good');
  expect(statusText('not_configured')).toBe('not configured');
});

test('the worst part speaks for the whole', () => {
  const degraded = { ...wellParts, 'Cache Layer': 'degraded' };
  expect(bannerOf(health('degraded', degraded), false)).toEqual({
    severity: 'warning',
    text: 'Cache Layer degraded',
  });
  expect(bannerOf(health('down', { ...degraded, Database: 'down' }), false)).toEqual({
    severity: 'bad',
    text: 'Database down, Cache Layer degraded',
  });
});

test('a status without a troubled part is told in its own words', () => {
  expect(bannerOf({ status: 'degraded', message: 'Slow disk', components: [] }, false).text).toBe(
    'Slow disk',
  );
  expect(bannerOf({ status: 'degraded', components: [] }, false).text).toBe('degraded');
});

test('nothing is claimed before the server has answered', () => {
  expect(bannerOf(undefined, false).severity).toBe('unknown');
  expect(bannerOf(undefined, true)).toEqual({
    severity: 'bad',
    text: 'The server cannot be reached',
  });
});

test.each([
  ['operational', 'good'],
  ['healthy', 'good'],
  ['available', 'good'],
  ['degraded', 'warning'],
  ['down', 'bad'],
  ['not_configured', 'unknown'],
])('%s is %s', (status, severity) => {
  expect(severityOf(status)).toBe(severity);
});

test('numbers are short, unknown ones a dash', () => {
  expect(formatCount(12_345)).toBe('12.3K');
  expect(formatCount(0)).toBe('0');
  expect(formatCount(null)).toBe('—');
  expect(formatDuration(undefined)).toBe('—');
  expect(formatDuration(0.4)).toBe('<1ms');
  expect(formatDuration(12.4)).toBe('12ms');
  expect(formatDuration(2345)).toBe('2.3s');
});

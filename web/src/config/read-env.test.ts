import { checkSettings } from './env-rules';
import { readEnv } from './read-env';

const page = { origin: 'https://wildfire.test', servedAnonKey: '' };

test('a production build uses the origin that served it', () => {
  const env = readEnv({ PROD: true }, page);
  expect(env.supabaseUrl).toBe('https://wildfire.test');
  expect(env.apiUrl).toBe('https://wildfire.test');
  expect(env.waitlistGate).toBe(false);
});

test('the dev server uses the local ports', () => {
  const env = readEnv({ PROD: false }, page);
  expect(env.supabaseUrl).toBe('http://127.0.0.1:54321');
  expect(env.apiUrl).toBe('http://127.0.0.1:8080');
});

test('given addresses win and lose their trailing slash', () => {
  const env = readEnv(
    { PROD: true, VITE_SUPABASE_URL: 'https://auth.test/', VITE_API_URL: 'https://api.test' },
    page,
  );
  expect(env.supabaseUrl).toBe('https://auth.test');
  expect(env.apiUrl).toBe('https://api.test');
});

test('the key of the build wins over the one the server wrote into the page', () => {
  const served = { ...page, servedAnonKey: 'served' };
  expect(readEnv({ PROD: true }, served).anonKey).toBe('served');
  expect(readEnv({ PROD: true, VITE_SUPABASE_ANON_KEY: '' }, served).anonKey).toBe('served');
  expect(readEnv({ PROD: true, VITE_SUPABASE_ANON_KEY: 'built' }, served).anonKey).toBe('built');
});

test.each([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
  ['', false],
])('the flag value %p means %p', (value, expected) => {
  expect(readEnv({ PROD: true, VITE_WAITLIST_GATE: value }, page).waitlistGate).toBe(expected);
});

test('the build accepts good and empty settings', () => {
  checkSettings({ VITE_SUPABASE_URL: 'https://auth.test', VITE_WAITLIST_GATE: '1' });
  checkSettings({ VITE_SUPABASE_URL: '', VITE_WAITLIST_GATE: '' });
});

test('the build refuses bad settings and names all of them', () => {
  const bad = { VITE_SUPABASE_URL: 'nonsense', VITE_API_URL: 'ftp://x', VITE_WAITLIST_GATE: 'yes' };
  expect(() => checkSettings(bad)).toThrow(
    'Invalid build settings: VITE_SUPABASE_URL must be an http(s) address; ' +
      'VITE_API_URL must be an http(s) address; VITE_WAITLIST_GATE must be 1, true, 0 or false',
  );
});

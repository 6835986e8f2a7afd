import { parseEnv } from './env-schema';

const context = { origin: 'https://wildfire.test', servedAnonKey: undefined };

test('a production build uses the origin that served it', () => {
  const env = parseEnv({ PROD: true }, context);
  expect(env.supabaseUrl).toBe('https://wildfire.test');
  expect(env.apiUrl).toBe('https://wildfire.test');
  expect(env.waitlistGate).toBe(false);
});

test('the dev server uses the local ports', () => {
  const env = parseEnv({ PROD: false }, context);
  expect(env.supabaseUrl).toBe('http://127.0.0.1:54321');
  expect(env.apiUrl).toBe('http://127.0.0.1:8080');
});

test('given addresses win and lose their trailing slash', () => {
  const env = parseEnv(
    { PROD: true, VITE_SUPABASE_URL: 'https://auth.test/', VITE_API_URL: 'https://api.test' },
    context,
  );
  expect(env.supabaseUrl).toBe('https://auth.test');
  expect(env.apiUrl).toBe('https://api.test');
});

test('the key of the build wins over the one the server wrote into the page', () => {
  const served = { ...context, servedAnonKey: 'served' };
  expect(parseEnv({}, served).anonKey).toBe('served');
  expect(parseEnv({ VITE_SUPABASE_ANON_KEY: '' }, served).anonKey).toBe('served');
  expect(parseEnv({ VITE_SUPABASE_ANON_KEY: 'built' }, served).anonKey).toBe('built');
});

test.each([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
  ['', false],
])('the flag value %p means %p', (value, expected) => {
  expect(parseEnv({ VITE_WAITLIST_GATE: value }, context).waitlistGate).toBe(expected);
});

test('every bad setting is named at once', () => {
  const bad = { VITE_SUPABASE_URL: 'nonsense', VITE_API_URL: 'ftp://x', VITE_WAITLIST_GATE: 'yes' };
  expect(() => parseEnv(bad, context)).toThrow(
    /VITE_SUPABASE_URL: .*VITE_API_URL: .*VITE_WAITLIST_GATE: /,
  );
});

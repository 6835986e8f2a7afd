import { env } from '@/config/env';
import { getAccessToken, getSupabase, hasStoredSession, SESSION_STORAGE_KEY } from './supabase';

const createClient = jest.fn();
jest.mock('@supabase/supabase-js', () => ({
  createClient: (...given: unknown[]) => createClient(...given) as unknown,
}));

test('without a public key it says what to do, and tries again later', async () => {
  const key = jest.replaceProperty(env, 'anonKey', '');
  await expect(getSupabase()).rejects.toThrow('VITE_SUPABASE_ANON_KEY');
  key.restore();

  const getSession = jest.fn(() =>
    Promise.resolve({ data: { session: { access_token: 'token' } } }),
  );
  createClient.mockReturnValue({ auth: { getSession } });
  await expect(getSupabase()).resolves.toBeDefined();
  await getSupabase();
  expect(createClient).toHaveBeenCalledTimes(1);
  expect(createClient).toHaveBeenCalledWith('http://localhost:8080', 'test-anon-key', {
    db: { schema: 'wildfire' },
    auth: expect.objectContaining({
      flowType: 'pkce',
      detectSessionInUrl: false,
      storageKey: SESSION_STORAGE_KEY,
    }) as unknown,
  });

  expect(hasStoredSession()).toBe(false);
  expect(await getAccessToken()).toBeUndefined();
  expect(getSession).not.toHaveBeenCalled();
  window.localStorage.setItem(SESSION_STORAGE_KEY, '{}');
  expect(await getAccessToken()).toBe('token');
});

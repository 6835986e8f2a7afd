import { getSupabase } from '@/lib/supabase';
import {
  ACCESS_TOKEN,
  beginSignIn,
  calls,
  callsTo,
  refuse,
  serveAuth,
  startSignedIn,
} from '@/testing/auth-server';
import { finishSignIn } from './callback';

beforeEach(() => serveAuth());

async function finish(address: string) {
  const { auth } = await getSupabase();
  return finishSignIn(auth, new URL(address, 'http://localhost:8080'));
}

const signedIn = expect.objectContaining({ kind: 'signed-in' }) as unknown;

test.each(['/auth/confirm?token_hash=abc&type=email', '/auth/callback#token_hash=abc&type=email'])(
  '%s verifies the token',
  async (address) => {
    expect(await finish(address)).toEqual(signedIn);
    expect(calls.map((call) => [call.path, call.body])).toEqual([
      ['/verify', expect.objectContaining({ token_hash: 'abc', type: 'email' })],
    ]);
  },
);

test('a refused token is an invalid link', async () => {
  refuse('/verify', 'Email link is invalid or has expired', 'otp_expired');
  expect(await finish('/auth/confirm?token_hash=abc&type=email')).toEqual({
    kind: 'failed',
    error: 'invalid_link',
  });
});

test('a code is exchanged', async () => {
  beginSignIn();
  expect(await finish('/auth/callback?code=xyz')).toEqual(signedIn);
  const [exchange] = callsTo('/token?grant_type=pkce');
  expect(exchange?.body).toEqual({ auth_code: 'xyz', code_verifier: 'verifier' });
});

test('a code that cannot be exchanged is a failed sign-in', async () => {
  const failed = { kind: 'failed', error: 'auth_failed' };
  // Another browser began it.
  expect(await finish('/auth/callback?code=xyz')).toEqual(failed);
  expect(calls).toEqual([]);
  beginSignIn();
  refuse('/token', 'invalid flow state', 'flow_state_not_found');
  expect(await finish('/auth/callback?code=xyz')).toEqual(failed);
});

test.each([
  ['/auth/callback?error=access_denied&error_code=otp_expired', 'invalid_link'],
  ['/auth/callback#error=access_denied&error_code=otp_expired', 'invalid_link'],
  ['/auth/callback?error=access_denied', 'auth_failed'],
  ['/auth/callback?error_code=provider_disabled', 'auth_failed'],
])('%s reports %s', async (address, error) => {
  expect(await finish(address)).toEqual({ kind: 'failed', error });
});

test('tokens in the hash begin a session', async () => {
  const hash = `#access_token=${ACCESS_TOKEN}&refresh_token=r`;
  expect(await finish(`/auth/callback${hash}`)).toEqual(signedIn);
  // The client asks whose they are.
  expect(callsTo('/user')).toHaveLength(1);
});

test('without anything in the address, an existing session decides', async () => {
  expect(await finish('/auth/callback')).toEqual({ kind: 'no-session' });
  startSignedIn();
  expect(await finish('/auth/callback')).toEqual({ kind: 'existing-session' });
});

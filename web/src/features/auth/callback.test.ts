import {
  auth,
  authError,
  fakeUser,
  resetFakeSupabase,
  startSignedIn,
} from '@/testing/fake-supabase';
import { finishSignIn } from './callback';

beforeEach(resetFakeSupabase);

type Client = Parameters<typeof finishSignIn>[0];
const finish = (address: string) =>
  finishSignIn(auth as unknown as Client, new URL(address, 'http://localhost:8080'));

const signedIn = expect.objectContaining({ kind: 'signed-in' }) as unknown;

test.each(['/auth/confirm?token_hash=abc&type=email', '/auth/callback#token_hash=abc&type=email'])(
  '%s verifies the token',
  async (address) => {
    expect(await finish(address)).toEqual(signedIn);
    expect(auth.verifyOtp).toHaveBeenCalledWith({ token_hash: 'abc', type: 'email' });
    expect(auth.exchangeCodeForSession).not.toHaveBeenCalled();
  },
);

test('a refused token is an invalid link', async () => {
  auth.verifyOtp.mockImplementation(() => authError('expired'));
  expect(await finish('/auth/confirm?token_hash=abc&type=email')).toEqual({
    kind: 'failed',
    error: 'invalid_link',
  });
});

test('a code is exchanged', async () => {
  expect(await finish('/auth/callback?code=xyz')).toEqual(signedIn);
  expect(auth.exchangeCodeForSession).toHaveBeenCalledWith('xyz');
});

test('a code that cannot be exchanged is a failed sign-in', async () => {
  auth.exchangeCodeForSession.mockImplementation(() => authError('no verifier'));
  expect(await finish('/auth/callback?code=xyz')).toEqual({ kind: 'failed', error: 'auth_failed' });
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
  expect(await finish('/auth/callback#access_token=a&refresh_token=r')).toEqual(signedIn);
  expect(auth.setSession).toHaveBeenCalledWith({ access_token: 'a', refresh_token: 'r' });
});

test('without anything in the address, an existing session decides', async () => {
  expect(await finish('/auth/callback')).toEqual({ kind: 'no-session' });
  startSignedIn(fakeUser());
  expect(await finish('/auth/callback')).toEqual({ kind: 'existing-session' });
});

/**
 * What /auth/callback and /auth/confirm do with the address they were opened with. Each branch
 * spends a one-time secret, so callers must run this once per address.
 */
import type { User } from '@supabase/supabase-js';
import type { Supabase } from '@/lib/supabase';

type AuthClient = Pick<
  Supabase['auth'],
  'verifyOtp' | 'exchangeCodeForSession' | 'setSession' | 'getSession'
>;

export type CallbackError = 'invalid_link' | 'auth_failed';

export type CallbackOutcome =
  | { kind: 'signed-in'; user: User }
  | { kind: 'existing-session' }
  | { kind: 'no-session' }
  | { kind: 'failed'; error: CallbackError };

/** Parameters may stand in the query or, from older links, in the hash. */
function parameters(url: URL): (name: string) => string | null {
  const hash = new URLSearchParams(url.hash.slice(1));
  return (name) => url.searchParams.get(name) ?? hash.get(name);
}

export async function finishSignIn(auth: AuthClient, url: URL): Promise<CallbackOutcome> {
  const parameter = parameters(url);
  const tokenHash = parameter('token_hash');
  if (tokenHash && parameter('type') === 'email') {
    const { data, error } = await auth.verifyOtp({ token_hash: tokenHash, type: 'email' });
    return outcome(error ? null : data.user, 'invalid_link');
  }
  const code = parameter('code');
  if (code) {
    const { data, error } = await auth.exchangeCodeForSession(code);
    return outcome(error ? null : data.user, 'auth_failed');
  }
  if (parameter('error') ?? parameter('error_code')) {
    const expired = parameter('error_code') === 'otp_expired';
    return { kind: 'failed', error: expired ? 'invalid_link' : 'auth_failed' };
  }
  const accessToken = parameter('access_token');
  const refreshToken = parameter('refresh_token');
  if (accessToken && refreshToken) {
    const tokens = { access_token: accessToken, refresh_token: refreshToken };
    const { data, error } = await auth.setSession(tokens);
    return outcome(error ? null : data.user, 'auth_failed');
  }
  const { data } = await auth.getSession();
  return { kind: data.session ? 'existing-session' : 'no-session' };
}

function outcome(user: User | null, failure: CallbackError): CallbackOutcome {
  return user ? { kind: 'signed-in', user } : { kind: 'failed', error: failure };
}

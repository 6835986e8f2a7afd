import { act, render, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { getSupabase, SESSION_STORAGE_KEY } from '@/lib/supabase';
import {
  ACCESS_TOKEN,
  calls,
  callsTo,
  expireSession,
  refreshSession,
  refuse,
  serveAuth,
  signIn,
  startSignedIn,
} from '@/testing/auth-server';
import { type Auth, useAuth } from './auth-context';
import { AuthProvider } from './auth-provider';

const onSignedOut = jest.fn();
let seen: Auth;

function Probe() {
  const current = useAuth();
  useEffect(() => {
    seen = current;
  });
  return <p>{current.loading ? 'loading' : (current.user?.email ?? 'nobody')}</p>;
}

function renderProvider() {
  return render(
    <AuthProvider onSignedOut={onSignedOut}>
      <Probe />
    </AuthProvider>,
  );
}

beforeEach(() => {
  onSignedOut.mockReset();
  serveAuth();
  jest.spyOn(console, 'debug').mockImplementation();
});

test('useAuth outside of a provider says so', () => {
  jest.spyOn(console, 'error').mockImplementation();
  expect(() => render(<Probe />)).toThrow('useAuth must be used within an AuthProvider');
  jest.mocked(console.error).mockClear();
});

test('without a stored session nobody is signed in and no client is listened to', async () => {
  const { auth } = await getSupabase();
  const listen = jest.spyOn(auth, 'onAuthStateChange');
  renderProvider();
  expect(screen.getByText('nobody')).toBeInTheDocument();
  expect(listen).not.toHaveBeenCalled();
  expect(calls).toEqual([]);
});

test('loading lasts until the first look-up is done', async () => {
  startSignedIn();
  renderProvider();
  expect(screen.getByText('loading')).toBeInTheDocument();
  expect(await screen.findByText('ada@example.com')).toBeInTheDocument();
  expect(seen.session?.access_token).toBe(ACCESS_TOKEN);
});

test('a session that another tab began appears here', async () => {
  renderProvider();
  startSignedIn();
  act(() => {
    window.dispatchEvent(new StorageEvent('storage', { key: SESSION_STORAGE_KEY, newValue: '{}' }));
  });
  expect(await screen.findByText('ada@example.com')).toBeInTheDocument();
});

test('signing in and refreshing are only logged', async () => {
  startSignedIn();
  renderProvider();
  await screen.findByText('ada@example.com');
  await act(signIn);
  await act(refreshSession);
  expect(console.debug).toHaveBeenCalledWith('Auth event: SIGNED_IN');
  expect(console.debug).toHaveBeenCalledWith('Auth event: TOKEN_REFRESHED');
  expect(onSignedOut).not.toHaveBeenCalled();
});

test('an expired session is told apart from an explicit sign-out', async () => {
  startSignedIn();
  renderProvider();
  await screen.findByText('ada@example.com');
  await act(() => seen.signOut());
  expect(onSignedOut).toHaveBeenLastCalledWith(true);
  await act(signIn);
  await act(expireSession);
  expect(onSignedOut).toHaveBeenLastCalledWith(false);
  expect(screen.getByText('nobody')).toBeInTheDocument();
});

test('links lead back to the callback, with the page to go on to', async () => {
  renderProvider();
  await act(() => seen.signInWithMagicLink('a@b.co', { next: '/prompts', name: 'Ada' }));
  const [sent] = callsTo('/otp');
  expect(sent?.redirectTo).toBe(`${window.location.origin}/auth/callback?next=%2Fprompts`);
  expect(sent?.body).toMatchObject({ email: 'a@b.co', create_user: true, data: { name: 'Ada' } });
  // It makes the browser leave the page, which jsdom cannot.
  const { auth } = await getSupabase();
  const leave = jest.spyOn(auth, 'signInWithOAuth');
  leave.mockResolvedValue({ data: { provider: 'github', url: '' }, error: null });
  await act(() => seen.signInWithProvider('github'));
  expect(leave).toHaveBeenCalledWith({
    provider: 'github',
    options: { redirectTo: `${window.location.origin}/auth/callback` },
  });
});

test('passwords, codes and sign-up go to the service and its refusals come back', async () => {
  renderProvider();
  await act(() => seen.signUp('a@b.co', 'secret', { name: 'Ada' }));
  const [signUp] = callsTo('/signup');
  expect(signUp?.redirectTo).toBe(`${window.location.origin}/auth/callback`);
  expect(signUp?.body).toMatchObject({
    email: 'a@b.co',
    password: 'secret',
    data: { name: 'Ada' },
  });
  await act(() => seen.sendCode('a@b.co'));
  refuse('/verify', 'Token has expired or is invalid', 'otp_expired');
  await expect(seen.verifyCode('a@b.co', '123456')).rejects.toThrow('Token has expired');
  expect(callsTo('/verify')[0]?.body).toMatchObject({
    email: 'a@b.co',
    token: '123456',
    type: 'email',
  });
  refuse('/token', 'Invalid login credentials', 'invalid_credentials');
  await expect(seen.signInWithPassword('a@b.co', 'no')).rejects.toThrow('Invalid login');
});

test('a profile needs a user, and is read again after a change', async () => {
  renderProvider();
  await act(() =>
    expect(seen.updateProfile({ avatar_url: 'x' })).rejects.toThrow('No user logged in'),
  );
  await act(signIn);
  await act(() => seen.updateProfile({ avatar_url: 'x' }));
  const asked = callsTo('/user').map((call) => [call.method, call.body]);
  expect(asked).toEqual([
    ['PUT', expect.objectContaining({ data: { avatar_url: 'x' } })],
    ['GET', undefined],
  ]);
});

import { act, render, screen, waitFor } from '@testing-library/react';
import { useEffect } from 'react';
import {
  auth,
  authError,
  emit,
  fakeSession,
  resetFakeSupabase,
  SESSION_STORAGE_KEY,
  startSignedIn,
} from '@/testing/fake-supabase';
import { type Auth, useAuth } from './auth-context';
import { AuthProvider } from './auth-provider';

jest.mock('@/lib/supabase', () => jest.requireActual<object>('@/testing/fake-supabase'));

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
  resetFakeSupabase();
  jest.spyOn(console, 'debug').mockImplementation();
});

test('useAuth outside of a provider says so', () => {
  jest.spyOn(console, 'error').mockImplementation();
  expect(() => render(<Probe />)).toThrow('useAuth must be used within an AuthProvider');
  jest.mocked(console.error).mockClear();
});

test('without a stored session nobody is signed in and no client is loaded', () => {
  renderProvider();
  expect(screen.getByText('nobody')).toBeInTheDocument();
  expect(auth.onAuthStateChange).not.toHaveBeenCalled();
});

test('loading lasts until the first look-up is done', async () => {
  startSignedIn();
  renderProvider();
  expect(screen.getByText('loading')).toBeInTheDocument();
  expect(await screen.findByText('ada@example.com')).toBeInTheDocument();
  expect(seen.session?.access_token).toBe('access');
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
  act(() => emit('SIGNED_IN', fakeSession()));
  act(() => emit('TOKEN_REFRESHED', fakeSession()));
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
  act(() => emit('SIGNED_OUT', null));
  expect(onSignedOut).toHaveBeenLastCalledWith(false);
  expect(screen.getByText('nobody')).toBeInTheDocument();
});

test('links lead back to the callback, with the page to go on to', async () => {
  renderProvider();
  await act(() => seen.signInWithMagicLink('a@b.co', { next: '/prompts', name: 'Ada' }));
  expect(auth.signInWithOtp).toHaveBeenCalledWith({
    email: 'a@b.co',
    options: {
      emailRedirectTo: `${window.location.origin}/auth/callback?next=%2Fprompts`,
      shouldCreateUser: true,
      data: { name: 'Ada' },
    },
  });
  await act(() => seen.signInWithProvider('github'));
  expect(auth.signInWithOAuth).toHaveBeenCalledWith({
    provider: 'github',
    options: { redirectTo: `${window.location.origin}/auth/callback` },
  });
});

test('passwords, codes and sign-up go to the service and its refusals come back', async () => {
  renderProvider();
  await act(() => seen.signUp('a@b.co', 'secret', { name: 'Ada' }));
  expect(auth.signUp).toHaveBeenCalledWith({
    email: 'a@b.co',
    password: 'secret',
    options: {
      data: { name: 'Ada' },
      emailRedirectTo: `${window.location.origin}/auth/callback`,
    },
  });
  await act(() => seen.sendCode('a@b.co'));
  auth.verifyOtp.mockImplementation(() => authError('Token has expired or is invalid'));
  await expect(seen.verifyCode('a@b.co', '123456')).rejects.toThrow('Token has expired');
  expect(auth.verifyOtp).toHaveBeenCalledWith({ email: 'a@b.co', token: '123456', type: 'email' });
  auth.signInWithPassword.mockImplementation(() => authError('Invalid login credentials'));
  await expect(seen.signInWithPassword('a@b.co', 'no')).rejects.toThrow('Invalid login');
});

test('a profile needs a user, and is read again after a change', async () => {
  renderProvider();
  await act(() =>
    expect(seen.updateProfile({ avatar_url: 'x' })).rejects.toThrow('No user logged in'),
  );
  act(() => emit('SIGNED_IN', fakeSession()));
  await act(() => seen.updateProfile({ avatar_url: 'x' }));
  expect(auth.updateUser).toHaveBeenCalledWith({ data: { avatar_url: 'x' } });
  await waitFor(() => expect(auth.getUser).toHaveBeenCalled());
});

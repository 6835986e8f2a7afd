import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { http, HttpResponse } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { env } from '@/config/env';
import { AuthProvider } from '@/features/auth/auth-provider';
import { auth, authError, resetFakeSupabase } from '@/testing/fake-supabase';
import { server } from '@/testing/server';
import { SignIn } from './sign-in';

jest.mock('@/lib/supabase', () => jest.requireActual<object>('@/testing/fake-supabase'));

const settings = (external: object) =>
  server.use(http.get('*/auth/v1/settings', () => HttpResponse.json({ external })));

beforeEach(() => {
  resetFakeSupabase();
  settings({ google: true, github: true });
});

async function renderSignIn(address = '/signin', mode: 'signin' | 'signup' = 'signin') {
  const view = render(
    <MemoryRouter initialEntries={[address]}>
      <AuthProvider onSignedOut={jest.fn()}>
        <SignIn mode={mode} />
      </AuthProvider>
    </MemoryRouter>,
  );
  await screen.findByRole('button', { name: 'Continue with Google' });
  return { ...view, user: userEvent.setup() };
}

test('has no accessibility violations and links to the terms and the privacy policy', async () => {
  const { container } = await renderSignIn();
  expect(await axe(container)).toHaveNoViolations();
  expect(screen.getByRole('link', { name: 'Terms' })).toHaveAttribute('href', '/terms');
  expect(screen.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute('href', '/privacy');
});

test('sends a magic link, says how long it holds, and offers another address', async () => {
  const { user } = await renderSignIn('/signin?next=/prompts');
  await user.type(screen.getByLabelText('Email'), ' ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  expect(await screen.findByText('Check your email')).toBeVisible();
  expect(screen.getByText('ada@example.com')).toBeVisible();
  expect(screen.getByText(/The link expires in 15 minutes/)).toBeVisible();
  expect(auth.signInWithOtp).toHaveBeenCalledWith(
    expect.objectContaining({
      email: 'ada@example.com',
      options: expect.objectContaining({
        emailRedirectTo: `${window.location.origin}/auth/callback?next=%2Fprompts`,
      }) as unknown,
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Try a different email' }));
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
});

test('says what failed, and why, when the link cannot be sent', async () => {
  auth.signInWithOtp.mockImplementation(() => authError('Only once every 60 seconds'));
  const { user } = await renderSignIn();
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  expect(await screen.findByText('Failed to send magic link')).toBeVisible();
  expect(screen.getByText('Only once every 60 seconds')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Send magic link' })).toBeEnabled();
});

test('says "Sending..." meanwhile and cannot be pressed twice', async () => {
  auth.signInWithOtp.mockImplementation(() => new Promise(() => undefined));
  const { user } = await renderSignIn();
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  expect(await screen.findByRole('button', { name: 'Sending...' })).toBeDisabled();
});

test.each([
  ['Google', 'google'],
  ['GitHub', 'github'],
])('signs in with %s and says when that fails', async (name, provider) => {
  jest.spyOn(console, 'warn').mockImplementation();
  const { user } = await renderSignIn();
  await user.click(screen.getByRole('button', { name: `Continue with ${name}` }));
  expect(auth.signInWithOAuth).toHaveBeenCalledWith(expect.objectContaining({ provider }));
  auth.signInWithOAuth.mockImplementation(() => authError('disabled'));
  await user.click(screen.getByRole('button', { name: `Continue with ${name}` }));
  expect(await screen.findByText(`Failed to sign in with ${name}`)).toBeVisible();
});

test('shows only the providers that are switched on', async () => {
  settings({ google: true, github: false });
  await renderSignIn();
  expect(screen.queryByRole('button', { name: 'Continue with GitHub' })).not.toBeInTheDocument();
});

test('signing up asks for an optional name', async () => {
  const { user } = await renderSignIn('/signup', 'signup');
  await user.type(screen.getByLabelText(/^Name/), 'Ada');
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  await screen.findByText('Check your email');
  expect(auth.signInWithOtp).toHaveBeenCalledWith(
    expect.objectContaining({
      options: expect.objectContaining({ data: { name: 'Ada' } }) as unknown,
    }),
  );
});

describe('the password form', () => {
  test('is hidden by default', async () => {
    await renderSignIn();
    expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
  });

  test('behind its flag signs in and shows what the service answers', async () => {
    jest.replaceProperty(env, 'passwordSignIn', true);
    auth.signInWithPassword.mockImplementation(() => authError('Invalid login credentials'));
    const { user } = await renderSignIn();
    await user.type(screen.getByLabelText('Account email'), 'ada@example.com');
    await user.type(screen.getByLabelText('Password'), 'wrong');
    await user.click(screen.getByRole('button', { name: 'Sign in with password' }));
    expect(await screen.findByText('Invalid login credentials')).toBeVisible();
  });
});

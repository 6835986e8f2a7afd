import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { MemoryRouter } from 'react-router-dom';
import { env } from '@/config/env';
import { AuthProvider } from '@/features/auth/auth-provider';
import { getSupabase } from '@/lib/supabase';
import { callsTo, hang, refuse, serveAuth } from '@/testing/auth-server';
import { SignIn } from './sign-in';

beforeEach(() => serveAuth({ google: true, github: true }));

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
  const [sent] = callsTo('/otp');
  expect(sent?.body).toMatchObject({ email: 'ada@example.com', create_user: true });
  expect(sent?.redirectTo).toBe(`${window.location.origin}/auth/callback?next=%2Fprompts`);
  await user.click(screen.getByRole('button', { name: 'Try a different email' }));
  expect(screen.getByLabelText('Email')).toHaveValue('ada@example.com');
});

test('says what failed, and why, when the link cannot be sent', async () => {
  refuse('/otp', 'Only once every 60 seconds', 'over_email_send_rate_limit');
  const { user } = await renderSignIn();
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  expect(await screen.findByText('Failed to send magic link')).toBeVisible();
  expect(screen.getByText('Only once every 60 seconds')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Send magic link' })).toBeEnabled();
});

test('says "Sending..." meanwhile and cannot be pressed twice', async () => {
  hang('/otp');
  const { user } = await renderSignIn();
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  expect(await screen.findByRole('button', { name: 'Sending...' })).toBeDisabled();
});

test.each([
  ['Google', 'google'],
  ['GitHub', 'github'],
] as const)('signs in with %s and says when that fails', async (name, provider) => {
  jest.spyOn(console, 'warn').mockImplementation();
  // It makes the browser leave the page, which jsdom cannot.
  const { auth } = await getSupabase();
  const leave = jest.spyOn(auth, 'signInWithOAuth');
  leave.mockResolvedValueOnce({ data: { provider, url: '' }, error: null });
  leave.mockRejectedValueOnce(new Error('disabled'));
  const { user } = await renderSignIn();
  await user.click(screen.getByRole('button', { name: `Continue with ${name}` }));
  expect(leave).toHaveBeenCalledWith(expect.objectContaining({ provider }));
  await user.click(screen.getByRole('button', { name: `Continue with ${name}` }));
  expect(await screen.findByText(`Failed to sign in with ${name}`)).toBeVisible();
});

test('shows only the providers that are switched on', async () => {
  serveAuth({ google: true, github: false });
  await renderSignIn();
  expect(screen.queryByRole('button', { name: 'Continue with GitHub' })).not.toBeInTheDocument();
});

test('signing up asks for an optional name', async () => {
  const { user } = await renderSignIn('/signup', 'signup');
  await user.type(screen.getByLabelText(/^Name/), 'Ada');
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  await screen.findByText('Check your email');
  expect(callsTo('/otp')[0]?.body).toMatchObject({ data: { name: 'Ada' } });
});

describe('the password form', () => {
  test('is hidden by default', async () => {
    await renderSignIn();
    expect(screen.queryByLabelText('Password')).not.toBeInTheDocument();
  });

  test('behind its flag signs in and shows what the service answers', async () => {
    jest.replaceProperty(env, 'passwordSignIn', true);
    refuse('/token', 'Invalid login credentials', 'invalid_credentials');
    const { user } = await renderSignIn();
    await user.type(screen.getByLabelText('Account email'), 'ada@example.com');
    await user.type(screen.getByLabelText('Password'), 'wrong');
    await user.click(screen.getByRole('button', { name: 'Sign in with password' }));
    expect(await screen.findByText('Invalid login credentials')).toBeVisible();
  });
});

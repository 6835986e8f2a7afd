import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { AuthProvider } from '@/features/auth/auth-provider';
import { callsTo, refuse, serveAuth } from '@/testing/auth-server';
import { REDIRECT_DELAY_MS } from './code-flow';
import { Passwordless } from './passwordless';

beforeEach(() => {
  serveAuth();
  jest.spyOn(console, 'debug').mockImplementation();
});

function renderScreen(user = userEvent.setup()) {
  const page = (
    <AuthProvider onSignedOut={jest.fn()}>
      <Passwordless />
    </AuthProvider>
  );
  const router = createMemoryRouter(
    [
      { path: '/auth/magic', element: page },
      { path: '*', element: <p>elsewhere</p> },
    ],
    { initialEntries: ['/auth/magic'] },
  );
  return { ...render(<RouterProvider router={router} />), router, user };
}

afterEach(() => jest.useRealTimers());

async function askForCode(user: ReturnType<typeof userEvent.setup>) {
  await user.click(screen.getByRole('tab', { name: 'One-Time Code' }));
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send code' }));
  return screen.findByLabelText('6-digit code');
}

test('has two tabs, which the arrow keys change, and links back', async () => {
  const { container, user } = renderScreen();
  expect(await axe(container)).toHaveNoViolations();
  const link = screen.getByRole('tab', { name: 'Magic Link' });
  expect(link).toHaveAttribute('aria-selected', 'true');
  await user.click(link);
  await user.keyboard('{ArrowRight}');
  expect(screen.getByRole('tab', { name: 'One-Time Code' })).toHaveFocus();
  expect(screen.getByRole('button', { name: 'Send code' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Back to sign in' })).toHaveAttribute('href', '/signin');
  expect(screen.getByRole('link', { name: 'Create an account' })).toHaveAttribute(
    'href',
    '/signup',
  );
});

test('the code is six digits and nothing else', async () => {
  const { user } = renderScreen();
  const code = await askForCode(user);
  const verify = screen.getByRole('button', { name: 'Verify code' });
  expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  expect(code).toHaveAttribute('inputmode', 'numeric');
  await user.type(code, '12a 345');
  expect(code).toHaveValue('12345');
  expect(verify).toBeDisabled();
  await user.type(code, '67');
  expect(code).toHaveValue('123456');
  expect(verify).toBeEnabled();
});

test('a good code is announced and leads on after a moment', async () => {
  jest.useFakeTimers();
  const { user, router } = renderScreen(
    userEvent.setup({ advanceTimers: (ms) => jest.advanceTimersByTime(ms) }),
  );
  await user.type(await askForCode(user), '123456');
  await user.click(screen.getByRole('button', { name: 'Verify code' }));
  expect(await screen.findByText('Successfully authenticated! Redirecting...')).toBeVisible();
  expect(callsTo('/verify')[0]?.body).toMatchObject({
    email: 'ada@example.com',
    token: '123456',
    type: 'email',
  });
  await act(() => jest.advanceTimersByTimeAsync(REDIRECT_DELAY_MS - 1));
  expect(router.state.location.pathname).toBe('/auth/magic');
  await act(() => jest.advanceTimersByTimeAsync(1));
  expect(router.state.location.pathname).toBe('/dashboard');
});

test('the pause before going on is a second and a half', () => {
  expect(REDIRECT_DELAY_MS).toBe(1500);
});

test('a bad code can be corrected', async () => {
  jest.spyOn(console, 'warn').mockImplementation();
  refuse('/verify', 'Token has expired or is invalid', 'otp_expired');
  const { user } = renderScreen();
  const code = await askForCode(user);
  await user.type(code, '123456');
  await user.click(screen.getByRole('button', { name: 'Verify code' }));
  expect(await screen.findByText('Invalid or expired code')).toBeVisible();
  expect(code).toHaveAccessibleDescription('Invalid or expired code');
  expect(code).toBeInvalid();
});

test.each([
  ['Magic Link', 'Send magic link'],
  ['One-Time Code', 'Send code'],
])('%s: says when the email cannot be sent', async (tab, button) => {
  refuse('/otp', 'over quota', 'over_email_send_rate_limit');
  const { user } = renderScreen();
  await user.click(screen.getByRole('tab', { name: tab }));
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: button }));
  expect(await screen.findByText('Failed to send authentication email')).toBeVisible();
});

test('the link tab ends with a look into the mailbox', async () => {
  const { user } = renderScreen();
  await user.type(screen.getByLabelText('Email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Send magic link' }));
  expect(await screen.findByText('Check your email')).toBeVisible();
});

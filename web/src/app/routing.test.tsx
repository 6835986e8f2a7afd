import { act, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { env } from '@/config/env';
import {
  beginSignIn,
  callsTo,
  expireSession,
  refuse,
  serveAuth,
  signIn,
  startSignedIn,
} from '@/testing/auth-server';
import { renderApp } from '@/testing/render-app';
import { server } from '@/testing/server';

beforeEach(() => {
  serveAuth();
  jest.spyOn(console, 'debug').mockImplementation();
  server.use(
    http.get('*/health', () => HttpResponse.json({ status: 'ok', components: [] })),
    http.get('*/api/v1/*', () => HttpResponse.json([])),
  );
});

describe('addresses', () => {
  test.each([
    ['/', 'Ship AI like Wildfire'],
    ['/waitlist', /End hardcoded prompts/],
    ['/signin', 'Sign in to Wildfire'],
    ['/signup', 'Create your account'],
    ['/auth/magic', 'Sign in without a password'],
    ['/terms', 'Terms'],
    ['/privacy', 'Privacy'],
  ])('%s is open to everyone', async (address, heading) => {
    const { where } = renderApp(address);
    expect(await screen.findByRole('heading', { level: 1, name: heading })).toBeVisible();
    expect(where()).toBe(address);
    expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1);
  });

  test.each(['/dashboard', '/prompts', '/prompts/new', '/prompts/4', '/playground?prompt=a'])(
    '%s asks the signed-out to sign in and come back',
    async (address) => {
      const { where } = renderApp(address);
      await waitFor(() => expect(where()).toBe(`/signin?next=${encodeURIComponent(address)}`));
    },
  );

  test.each(['/foo', '/a/b/c', '/dashboard/foo'])(
    'an unknown one (%s) leads home',
    async (path) => {
      const { where } = renderApp(path);
      await waitFor(() => expect(where()).toBe('/'));
    },
  );

  test('the older name of the prompt list leads to it', async () => {
    startSignedIn();
    const { where } = renderApp('/repository');
    await waitFor(() => expect(where()).toBe('/prompts'));
  });

  test.each(['/signin', '/signup?next=/prompts', '/auth/magic'])(
    '%s sends the signed-in on',
    async (address) => {
      startSignedIn();
      const { where } = renderApp(address);
      const next = address.includes('next=') ? '/prompts' : '/dashboard';
      await waitFor(() => expect(where()).toBe(next));
    },
  );
});

describe('the waitlist gate', () => {
  beforeEach(() => {
    jest.replaceProperty(env, 'waitlistGate', true);
  });

  test.each(['/dashboard', '/prompts/4', '/foo', '/a/b/c', '/apiary'])(
    'sends the signed-out from %s to the waitlist',
    async (address) => {
      const { where } = renderApp(address);
      await waitFor(() => expect(where()).toBe('/waitlist'));
    },
  );

  test.each(['/', '/signin', '/auth/magic', '/terms'])('leaves %s open', async (address) => {
    const { where } = renderApp(address);
    expect(await screen.findByRole('heading', { level: 1 })).toBeVisible();
    expect(where()).toBe(address);
  });

  test('does not hold up the signed-in, who get home from unknown addresses', async () => {
    startSignedIn();
    const { where } = renderApp('/foo');
    await waitFor(() => expect(where()).toBe('/'));
  });
});

describe('the end of a session', () => {
  test('an explicit sign-out goes home', async () => {
    startSignedIn();
    const { user, where } = renderApp('/dashboard');
    await user.click(await screen.findByRole('button', { name: 'Account of ada@example.com' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
    await waitFor(() => expect(where()).toBe('/'));
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Ship AI');
    expect(screen.getByRole('link', { name: 'Sign In' })).toBeVisible();
  });

  test('an expired one goes to the sign-in page and back afterwards', async () => {
    startSignedIn();
    const { where } = renderApp('/playground');
    await screen.findByRole('button', { name: 'Account of ada@example.com' });
    await act(expireSession);
    await waitFor(() => expect(where()).toBe('/signin?next=%2Fplayground'));
    serveAuth();
    await act(signIn);
    await waitFor(() => expect(where()).toBe('/playground'));
  });

  test('on a public page it leaves the reader where they are', async () => {
    startSignedIn();
    const { where } = renderApp('/terms');
    await screen.findByRole('button', { name: 'Account of ada@example.com' });
    await act(expireSession);
    expect(await screen.findByRole('link', { name: 'Sign In' })).toBeVisible();
    expect(where()).toBe('/terms');
  });
});

describe('the callback', () => {
  const open = (search: string) => {
    beginSignIn();
    window.history.replaceState(null, '', `/auth/callback${search}`);
    return renderApp(`/auth/callback${search}`);
  };
  afterEach(() => window.history.replaceState(null, '', '/'));

  test('signs in once and starts at the dashboard', async () => {
    const { where } = open('?code=abc');
    expect(await screen.findByText('Signing you in...')).toBeInTheDocument();
    await waitFor(() => expect(where()).toBe('/dashboard'));
    expect(callsTo('/token?grant_type=pkce')).toHaveLength(1);
  });

  test('goes on to the page one came for, if it is of this site', async () => {
    const first = open('?code=abc&next=%2Fprompts');
    await waitFor(() => expect(first.where()).toBe('/prompts'));
    first.unmount();
    window.localStorage.clear();
    const second = open('?code=abc&next=%2F%2Fevil.test');
    await waitFor(() => expect(second.where()).toBe('/dashboard'));
  });

  test.each([
    ['?token_hash=abc&type=email', 'invalid_link', /invalid or has expired/],
    ['?code=abc', 'auth_failed', /could not be completed/],
  ])('a failure with %s is told on the sign-in page', async (search, error, message) => {
    refuse('/verify', 'no');
    refuse('/token', 'no');
    const { where } = open(search);
    await waitFor(() => expect(where()).toBe(`/signin?error=${error}`));
    expect(await screen.findByText(message)).toBeVisible();
  });

  test('with nothing to complete it asks to sign in', async () => {
    const { where } = open('');
    await waitFor(() => expect(where()).toBe('/signin'));
  });

  test('with a session it goes straight on', async () => {
    startSignedIn();
    const { where } = open('');
    await waitFor(() => expect(where()).toBe('/dashboard'));
  });
});

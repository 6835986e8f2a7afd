/**
 * Stands in for lib/supabase: `jest.mock('@/lib/supabase', () => jest.requireActual('@/testing/fake-supabase'))`.
 * Every auth method is a mock that succeeds; `signIn` and `emit` play the service's events.
 */
import type { AuthChangeEvent, Session, User } from '@supabase/supabase-js';

export const SESSION_STORAGE_KEY = 'wildfire-auth-token';

type Listener = (event: AuthChangeEvent, session: Session | null) => void;

let session: Session | null = null;
let listeners: Listener[] = [];

export function fakeUser(changes: Partial<User> = {}): User {
  return {
    id: '7d5f3c1e-0000-4000-8000-000000000001',
    email: 'ada@example.com',
    aud: 'authenticated',
    app_metadata: {},
    user_metadata: { onboarded: true },
    created_at: '2026-01-01T00:00:00Z',
    last_sign_in_at: '2026-11-20T08:00:00Z',
    ...changes,
  };
}

export function fakeSession(user: User = fakeUser()): Session {
  return {
    access_token: 'access',
    refresh_token: 'refresh',
    expires_in: 3600,
    expires_at: 4_000_000_000,
    token_type: 'bearer',
    user,
  };
}

const succeed = () => Promise.resolve({ data: { user: null, session: null }, error: null });

function enter(event: AuthChangeEvent = 'SIGNED_IN') {
  session = fakeSession();
  emit(event, session);
  return Promise.resolve({ data: { user: session.user, session }, error: null });
}

export const auth = {
  onAuthStateChange: jest.fn(),
  getSession: jest.fn(),
  getUser: jest.fn(),
  signInWithOtp: jest.fn(),
  signInWithPassword: jest.fn(),
  signInWithOAuth: jest.fn(),
  signUp: jest.fn(),
  verifyOtp: jest.fn(),
  exchangeCodeForSession: jest.fn(),
  setSession: jest.fn(),
  updateUser: jest.fn(),
  signOut: jest.fn(),
};

function leave() {
  session = null;
  emit('SIGNED_OUT', null);
  return Promise.resolve({ error: null });
}

/** Back to nobody signed in and every call succeeding; call it before each test. */
export function resetFakeSupabase(): void {
  session = null;
  listeners = [];
  auth.onAuthStateChange.mockImplementation((listener: Listener) => {
    listeners.push(listener);
    queueMicrotask(() => listener('INITIAL_SESSION', session));
    return { data: { subscription: { unsubscribe: () => undefined } } };
  });
  auth.getSession.mockImplementation(() => Promise.resolve({ data: { session }, error: null }));
  auth.getUser.mockImplementation(succeed);
  auth.signInWithOtp.mockImplementation(succeed);
  auth.signInWithPassword.mockImplementation(() => enter());
  auth.signInWithOAuth.mockImplementation(succeed);
  auth.signUp.mockImplementation(succeed);
  auth.verifyOtp.mockImplementation(() => enter());
  auth.exchangeCodeForSession.mockImplementation(() => enter());
  auth.setSession.mockImplementation(() => enter());
  auth.updateUser.mockImplementation(succeed);
  auth.signOut.mockImplementation(leave);
}

/** Starts the next screen as this user. */
export function startSignedIn(user: User = fakeUser()): void {
  session = fakeSession(user);
}

export function emit(event: AuthChangeEvent, next: Session | null): void {
  session = next;
  listeners.forEach((listener) => listener(event, next));
}

export const authError = (message: string) =>
  Promise.resolve({ data: { user: null, session: null }, error: new Error(message) });

const client = { auth };

export const getSupabase = () => Promise.resolve(client);
export const hasStoredSession = () => session !== null;
export const getAccessToken = () => Promise.resolve(session?.access_token);

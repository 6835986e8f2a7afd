/**
 * The auth service on the fake network, spoken to by the real client: one person, whose every
 * attempt succeeds unless a test has the service refuse it. `calls` are the requests it saw.
 */
import type { Session, User } from '@supabase/supabase-js';
import { delay, http, HttpResponse } from 'msw';
import { env } from '@/config/env';
import { getSupabase, SESSION_STORAGE_KEY } from '@/lib/supabase';
import { server } from './server';

const BASE = `${env.supabaseUrl}/auth/v1`;

interface Call {
  method: string;
  /** The path below /auth/v1, with `?grant_type=…` where there is one. */
  path: string;
  redirectTo: string | null;
  body: unknown;
}

export const calls: Call[] = [];

/** The requests to one path, oldest first. */
export const callsTo = (path: string) => calls.filter((call) => call.path === path);

export function makeUser(changes: Partial<User> = {}): User {
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

const FAR_AWAY = 4_000_000_000;
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token the client can read; nobody here checks its signature. */
export const ACCESS_TOKEN = [
  part({ alg: 'HS256', typ: 'JWT' }),
  part({ sub: makeUser().id, exp: FAR_AWAY }),
  'c2lnbmF0dXJl',
].join('.');

let sessions = 0;

function makeSession(user: User): Session {
  sessions += 1;
  return {
    access_token: ACCESS_TOKEN,
    refresh_token: `refresh-${String(sessions)}`,
    expires_in: 3600,
    expires_at: FAR_AWAY,
    token_type: 'bearer',
    user,
  };
}

let person = makeUser();

const session = () => HttpResponse.json(makeSession(person));
const nothing = () => HttpResponse.json({});

async function record(request: Request): Promise<void> {
  const url = new URL(request.url);
  const grant = url.searchParams.get('grant_type');
  const text = await request.clone().text();
  calls.push({
    method: request.method,
    path: url.pathname.replace('/auth/v1', '') + (grant ? `?grant_type=${grant}` : ''),
    redirectTo: url.searchParams.get('redirect_to'),
    body: text ? (JSON.parse(text) as unknown) : undefined,
  });
}

/** Call it before each test: nobody is signed in, and every call succeeds. */
export function serveAuth(external: object = {}): void {
  calls.length = 0;
  person = makeUser();
  server.use(
    http.get(`${BASE}/settings`, () => HttpResponse.json({ external })),
    // Answers nothing itself, so what follows does.
    http.all(`${BASE}/*`, ({ request }) => record(request)),
    http.post(`${BASE}/otp`, nothing),
    http.post(`${BASE}/token`, session),
    http.post(`${BASE}/verify`, session),
    http.post(`${BASE}/signup`, session),
    http.post(`${BASE}/logout`, () => new HttpResponse(null, { status: 204 })),
    http.get(`${BASE}/user`, () => HttpResponse.json(person)),
    http.put(`${BASE}/user`, () => HttpResponse.json(person)),
  );
}

/** From now on the service refuses this path. */
export function refuse(path: string, msg: string, error_code = 'validation_failed'): void {
  server.use(
    http.all(`${BASE}${path}`, async ({ request }) => {
      await record(request);
      return HttpResponse.json({ code: 400, error_code, msg }, { status: 400 });
    }),
  );
}

/** From now on the service does not answer this path. */
export function hang(path: string): void {
  server.use(http.all(`${BASE}${path}`, () => delay('infinite')));
}

/** Starts the next screen as this person. */
export function startSignedIn(user: User = makeUser()): void {
  person = user;
  window.localStorage.setItem(SESSION_STORAGE_KEY, JSON.stringify(makeSession(user)));
}

/** A sign-in with a link or a provider that this browser has begun. */
export function beginSignIn(): void {
  window.localStorage.setItem(`${SESSION_STORAGE_KEY}-code-verifier`, JSON.stringify('verifier'));
}

/** The client refreshes its session, as it does when that is about to expire. */
export async function refreshSession(): Promise<void> {
  const { auth } = await getSupabase();
  await auth.refreshSession();
}

/** The session ends without anybody's wish: its time is up, and the service knows it no more. */
export async function expireSession(): Promise<void> {
  const stored = window.localStorage.getItem(SESSION_STORAGE_KEY) ?? '{}';
  const over = { ...(JSON.parse(stored) as Session), expires_at: 1 };
  window.localStorage.setItem(SESSION_STORAGE_KEY, JSON.stringify(over));
  refuse('/token', 'Invalid Refresh Token: Refresh Token Not Found', 'refresh_token_not_found');
  await refreshSession();
}

/** Signs in beside the screens, as another part of the app might. */
export async function signIn(): Promise<void> {
  const { auth } = await getSupabase();
  await auth.signInWithPassword({ email: 'ada@example.com', password: 'correct-horse' });
}

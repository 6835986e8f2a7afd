/** Every route of the auth service, fed with what no client should send. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { PASSWORD, newAccount, newEmail } from '../../../harness/accounts.ts';
import {
  BAD_IDS,
  NOT_JSON,
  NO_OBJECT,
  TOO_LARGE,
  authProblem,
  expectWell,
  nastyTexts,
  wrongTypes,
  type BadBody,
} from '../../../harness/bad-input.ts';
import { askAuth, type Answer } from '../../../harness/http.ts';
import { stack } from '../../../harness/stack.ts';

type Who = 'anyone' | 'user' | 'admin';

interface Route {
  method: string;
  path: string;
  who: Who;
  /** Fields the route reads, with values of the right kind that lead to nothing. */
  body?: Record<string, unknown>;
  /** Fields that are sent along but not tried: upstream answers 500 to an unknown PKCE method. */
  along?: Record<string, unknown>;
}

const NOT_SERVED = '404 page not found\n';

const uuid = randomUUID();
const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 's256' };

const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/signup',
    who: 'anyone',
    body: { email: 'no address', password: '', data: {}, phone: '', channel: '' },
    along: pkce,
  },
  {
    method: 'POST',
    path: '/token?grant_type=password',
    who: 'anyone',
    body: { email: 'nobody@example.com', phone: '', password: 'x' },
  },
  {
    method: 'POST',
    path: '/token?grant_type=refresh_token',
    who: 'anyone',
    body: { refresh_token: 'aaaaaaaaaaaa' },
  },
  {
    method: 'POST',
    path: '/token?grant_type=pkce',
    who: 'anyone',
    body: { auth_code: uuid, code_verifier: 'x'.repeat(43) },
  },
  {
    method: 'POST',
    path: '/token?grant_type=id_token',
    who: 'anyone',
    body: { id_token: 'x', provider: 'google', nonce: 'x' },
  },
  {
    method: 'POST',
    path: '/token?grant_type=web3',
    who: 'anyone',
    body: { chain: 'ethereum', message: 'x', signature: 'x' },
  },
  { method: 'POST', path: '/token?grant_type=nonsense', who: 'anyone', body: {} },
  { method: 'POST', path: '/token', who: 'anyone', body: {} },
  {
    method: 'POST',
    path: '/otp',
    who: 'anyone',
    body: {
      email: 'nobody@example.com',
      phone: '',
      create_user: false,
      data: {},
      channel: '',
    },
    along: pkce,
  },
  {
    method: 'POST',
    path: '/magiclink',
    who: 'anyone',
    body: { email: 'no address', data: {} },
    along: pkce,
  },
  {
    method: 'POST',
    path: '/verify',
    who: 'anyone',
    body: {
      type: 'email',
      token: '000000',
      email: 'nobody@example.com',
      token_hash: '',
      phone: '',
    },
  },
  { method: 'GET', path: '/verify?type=signup&token=nothing', who: 'anyone' },
  {
    method: 'POST',
    path: '/recover',
    who: 'anyone',
    body: { email: 'nobody@example.com' },
    along: pkce,
  },
  {
    method: 'POST',
    path: '/resend',
    who: 'anyone',
    body: { type: 'signup', email: 'nobody@example.com', phone: '' },
    along: pkce,
  },
  { method: 'POST', path: '/logout?scope=nonsense', who: 'user', body: {} },
  { method: 'GET', path: '/user', who: 'user' },
  {
    method: 'PUT',
    path: '/user',
    who: 'user',
    body: {
      email: '',
      phone: '',
      current_password: 'x',
      nonce: 'x',
      data: {},
      channel: '',
    },
    along: pkce,
  },
  { method: 'GET', path: '/reauthenticate?x=%00', who: 'user' },
  { method: 'GET', path: '/user/identities/authorize?provider=nonsense', who: 'user' },
  { method: 'DELETE', path: `/user/identities/${uuid}`, who: 'user' },
  { method: 'GET', path: '/authorize?provider=nonsense', who: 'anyone' },
  { method: 'GET', path: '/callback?state=x&code=x', who: 'anyone' },
  {
    method: 'POST',
    path: '/sso',
    who: 'anyone',
    body: { domain: 'example.com', provider_id: '', redirect_to: '', skip_http_redirect: true },
  },
  {
    method: 'POST',
    path: '/factors',
    who: 'user',
    body: { factor_type: 'nonsense', friendly_name: 'x', issuer: 'x', phone: '' },
  },
  { method: 'POST', path: `/factors/${uuid}/challenge`, who: 'user', body: { channel: 'sms' } },
  {
    method: 'POST',
    path: `/factors/${uuid}/verify`,
    who: 'user',
    body: { challenge_id: uuid, code: '000000' },
  },
  { method: 'DELETE', path: `/factors/${uuid}`, who: 'user' },
  { method: 'POST', path: '/invite', who: 'admin', body: { email: 'no address', data: {} } },
  { method: 'GET', path: '/admin/users?page=1', who: 'admin' },
  {
    method: 'POST',
    path: '/admin/users',
    who: 'admin',
    body: {
      email: '',
      phone: '',
      password_hash: 'x',
      user_metadata: {},
      app_metadata: {},
      ban_duration: 'nonsense',
      role: '',
      aud: '',
    },
  },
  { method: 'GET', path: `/admin/users/${uuid}`, who: 'admin' },
  {
    method: 'PUT',
    path: `/admin/users/${uuid}`,
    who: 'admin',
    body: { email: 'x@example.com', user_metadata: {}, app_metadata: {}, ban_duration: 'none' },
  },
  {
    method: 'DELETE',
    path: `/admin/users/${uuid}`,
    who: 'admin',
    body: { should_soft_delete: true },
  },
  { method: 'GET', path: `/admin/users/${uuid}/factors`, who: 'admin' },
  {
    method: 'POST',
    path: '/admin/generate_link',
    who: 'admin',
    body: {
      type: 'nonsense',
      email: 'no address',
      new_email: '',
      password: '',
      data: {},
      redirect_to: '',
    },
  },
  { method: 'GET', path: '/admin/audit?page=1', who: 'admin' },
];

const withBody = ROUTES.filter((route) => route.body !== undefined);

interface Callers {
  user: string;
  admin: string;
}

async function callers(): Promise<Callers> {
  const { session } = await newAccount('sweep');
  return { user: session.access_token, admin: stack().serviceRoleKey };
}

function tokenFor(who: Who, tokens: Callers): string | undefined {
  return who === 'anyone' ? undefined : tokens[who];
}

async function send(route: Route, tokens: Callers, bad: BadBody): Promise<Answer> {
  const { method, path, who } = route;
  return askAuth(path, { method, token: tokenFor(who, tokens), body: bad.body });
}

const label = ({ method, path }: Route, name: string) => `${method} ${path} with ${name}`;

/** A user without the moment it was last written: an empty change counts as one. */
async function userOf(token: string): Promise<unknown> {
  const user = (await askAuth('/user', { token })).json as object;
  return { ...user, updated_at: undefined };
}

/** Whatever a test sent, the account it sent it as must be untouched. */
test.describe('bad input to the auth service', () => {
  let tokens: Callers;
  let before: unknown;

  test.beforeEach(async () => {
    tokens = await callers();
    before = await userOf(tokens.user);
  });

  test.afterEach(async () => {
    expect(await userOf(tokens.user)).toEqual(before);
    await expectWell();
  });

  test('what is not JSON is refused as such', async () => {
    for (const route of withBody) {
      for (const bad of NOT_JSON) {
        const answer = await send(route, tokens, bad);
        expect.soft(authProblem(answer), label(route, bad.name)).toBeUndefined();
        expect.soft(answer.status, label(route, bad.name)).toBeGreaterThanOrEqual(400);
      }
    }
  });

  test('the signup route names the reason', async () => {
    for (const bad of [...NOT_JSON, ...NO_OBJECT]) {
      const answer = await askAuth('/signup', { method: 'POST', body: bad.body });
      expect.soft(answer.json, bad.name).toMatchObject({ code: 400, error_code: 'bad_json' });
    }
    const empty = await askAuth('/signup', { method: 'POST', body: '' });
    expect(empty.json).toMatchObject({ code: 400, error_code: 'bad_json' });
    const typed = await askAuth('/signup', { method: 'POST', body: { email: 5 } });
    expect(typed.json).toMatchObject({
      code: 400,
      error_code: 'bad_json',
      msg: expect.stringContaining('email') as unknown,
    });
  });

  test('values of the wrong kind are refused', async () => {
    for (const route of withBody) {
      for (const bad of [...NO_OBJECT, ...wrongTypes(route.body ?? {}, route.along)]) {
        const answer = await send(route, tokens, bad);
        expect.soft(authProblem(answer), label(route, bad.name)).toBeUndefined();
      }
    }
  });

  test('nasty texts break nothing', async () => {
    for (const route of withBody) {
      // What a profile may hold is the user's business; it is tried where nothing is kept.
      for (const bad of nastyTexts(route.body ?? {}, route.along)) {
        const answer = await send(route, tokens, bad);
        expect.soft(authProblem(answer), label(route, bad.name)).toBeUndefined();
      }
    }
  });

  test('bodies of two megabytes are too large', async () => {
    for (const route of withBody) {
      const answer = await send(route, tokens, { name: 'two megabytes', body: TOO_LARGE });
      expect.soft(authProblem(answer), label(route, 'two megabytes')).toBeUndefined();
      expect.soft([400, 404, 413, 422], label(route, 'two megabytes')).toContain(answer.status);
    }
    const signup = await askAuth('/signup', { method: 'POST', body: TOO_LARGE });
    expect(signup.json).toMatchObject({
      code: 413,
      error_code: 'request_entity_too_large',
      msg: 'Request body too large (max 65536 bytes)',
    });
  });

  test('ids that are none lead nowhere', async () => {
    for (const id of BAD_IDS) {
      for (const [method, path, who] of [
        ['GET', `/admin/users/${id}`, 'admin'],
        ['PUT', `/admin/users/${id}`, 'admin'],
        ['DELETE', `/admin/users/${id}`, 'admin'],
        ['GET', `/admin/users/${id}/factors`, 'admin'],
        ['POST', `/factors/${id}/challenge`, 'user'],
        ['POST', `/factors/${id}/verify`, 'user'],
        ['DELETE', `/factors/${id}`, 'user'],
        ['DELETE', `/user/identities/${id}`, 'user'],
      ] as const) {
        const answer = await askAuth(path, {
          method,
          token: tokens[who],
          ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
        });
        const what = `${method} ${path.slice(0, 80)}`;
        expect.soft(authProblem(answer), what).toBeUndefined();
        expect.soft([400, 404, 422], what).toContain(answer.status);
      }
    }
  });

  test('queries that make no sense are refused', async () => {
    for (const path of [
      '/admin/users?page=x',
      '/admin/users?page=-1',
      '/admin/users?per_page=99999999999999999999',
      '/admin/users?sort=password%20asc',
      '/admin/users?sort=created_at%20sideways',
      '/admin/users?filter=%00',
      '/admin/users?filter=%25%27%22',
      '/admin/audit?query=nonsense',
      '/admin/audit?query=author:%00',
      '/admin/audit?page=x',
    ]) {
      const answer = await askAuth(path, { token: tokens.admin });
      expect.soft(authProblem(answer), path).toBeUndefined();
    }
    for (const path of [
      '/verify',
      '/verify?type=',
      '/verify?token=x',
      '/verify?type=nonsense&token=x',
      '/verify?type=signup&token=%00',
      '/verify?type=signup&token=pkce_x',
      '/verify?type=signup&token=x&redirect_to=%00',
      '/verify?type=signup&token=x&redirect_to=https://evil.example',
      '/authorize',
      '/authorize?provider=%00',
      '/callback',
      '/callback?state=%00',
      `/callback?state=${uuid}&code=x`,
    ]) {
      const answer = await askAuth(path);
      const location = answer.headers.get('location') ?? '';
      expect.soft(location, path).not.toContain('evil.example');
      if (answer.status < 400) expect.soft([302, 303], path).toContain(answer.status);
      else expect.soft(authProblem(answer), path).toBeUndefined();
    }
  });

  test('a protected route without a token asks for one', async () => {
    for (const route of ROUTES.filter(({ who }) => who !== 'anyone')) {
      const { method, path, body } = route;
      const answer = await askAuth(path, {
        method,
        headers: { apikey: '' },
        ...(body === undefined ? {} : { body }),
      });
      // A path that is not served is not protected either.
      if (answer.text === NOT_SERVED) continue;
      expect.soft(answer.status, label(route, 'no token')).toBe(401);
      expect.soft(answer.json, label(route, 'no token')).toMatchObject({
        error_code: 'no_authorization',
        msg: 'This endpoint requires a valid Bearer token',
      });
      if (method === 'GET') continue;
      const broken = await askAuth(path, { method, headers: { apikey: '' }, body: '{' });
      expect.soft(broken.status, label(route, 'neither')).toBe(401);
    }
  });

  test('unknown routes and methods', async () => {
    for (const path of ['/', '/nothing', '/token/x', '/admin', '/admin/nothing']) {
      const { status } = await askAuth(path, { token: tokens.admin });
      expect.soft(status, path).toBe(404);
    }
    // Below /user the caller is asked for first.
    expect.soft((await askAuth('/user/x', { token: tokens.user })).status).toBe(404);
    for (const [method, path] of [
      ['PATCH', '/token'],
      ['DELETE', '/signup'],
      ['PUT', '/otp'],
      ['POST', '/settings'],
      ['GET', '/recover'],
    ] as const) {
      const answer = await askAuth(path, { method, ...(method === 'GET' ? {} : { body: {} }) });
      expect.soft(answer.status, `${method} ${path}`).toBe(405);
      expect.soft(answer.headers.get('allow'), `${method} ${path}`).toBeTruthy();
    }
  });

  test('metadata survives whatever it holds', async () => {
    const account = await newAccount('metadata');
    const token = account.session.access_token;
    const odd = { '': 1, 'é🔥': [null, { a: -0.5 }], html: '<script>&\u2028', deep: nested(50) };
    const kept = await askAuth('/user', { method: 'PUT', token, body: { data: odd } });
    expect(kept.status).toBe(200);
    expect((kept.json as { user_metadata: object }).user_metadata).toMatchObject(odd);
    const nul = await askAuth('/user', { method: 'PUT', token, body: { data: { a: 'x\0y' } } });
    expect(authProblem(nul)).toBeUndefined();
    const proto = '{"data":{"__proto__":{"admin":true},"constructor":{"x":1}}}';
    expect((await askAuth('/user', { method: 'PUT', token, body: proto })).status).toBe(200);
    expect((await askAuth('/user', { token })).status).toBe(200);
  });

  test('nobody writes mail headers', async () => {
    const email = newEmail();
    for (const bad of [
      `${email}\r\nBcc: eve@example.com`,
      `"a\nb"@example.com`,
      `<${email}>`,
      `${email},b@example.com`,
    ]) {
      const answer = await askAuth('/signup', {
        method: 'POST',
        body: { email: bad, password: PASSWORD },
      });
      expect.soft(answer.json, bad).toMatchObject({ code: 400, error_code: 'validation_failed' });
    }
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 'end' : { a: nested(depth - 1) };
}

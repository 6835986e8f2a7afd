/** Tokens that are expired, forged or not tokens at all open nothing. */
import { expect, test } from '@playwright/test';
import { PASSWORD, newAccount, newEmail } from '../../../harness/accounts.ts';
import { expectWell, authProblem, promptProblem } from '../../../harness/bad-input.ts';
import { askAuth, askPrompts } from '../../../harness/http.ts';
import { PromptCaller } from '../../../harness/prompts.ts';
import { badTokens, decode, hmacToken } from '../../../harness/tokens.ts';
import { stack } from '../../../harness/stack.ts';

test.afterEach(expectWell);

test('the auth service refuses them all', async () => {
  const { session, user } = await newAccount('forged');
  for (const { name, token } of await badTokens(session.access_token)) {
    for (const [method, path, body] of [
      ['GET', '/user', undefined],
      ['PUT', '/user', { data: { stolen: true } }],
      ['POST', '/logout', undefined],
      ['GET', '/reauthenticate', undefined],
      ['GET', '/admin/users', undefined],
      ['POST', '/admin/users', { email: newEmail(), password: PASSWORD }],
      ['DELETE', `/admin/users/${user.id}`, undefined],
      ['POST', '/invite', { email: newEmail() }],
    ] as const) {
      const answer = await askAuth(path, { method, token, ...(body ? { body } : {}) });
      const what = `${method} ${path} with ${name}`;
      expect.soft(authProblem(answer), what).toBeUndefined();
      expect.soft([401, 403], what).toContain(answer.status);
      if (answer.status === 403)
        expect.soft(answer.json, what).toMatchObject({ error_code: 'bad_jwt' });
    }
  }
  const after = await askAuth('/user', { token: session.access_token });
  expect(after.json).toMatchObject({ id: user.id });
  expect(after.text).not.toContain('stolen');
});

test('the prompt API refuses them all', async () => {
  const { session } = await newAccount('forged');
  const owner = new PromptCaller(session.access_token);
  const { id } = await owner.create({ name: 'Kept', key: 'kept', template: 'secret zebra' });
  for (const { name, token } of await badTokens(session.access_token)) {
    for (const [method, path, body] of [
      ['GET', '/prompts', undefined],
      ['GET', `/prompts/${String(id)}`, undefined],
      ['GET', '/organizations', undefined],
      ['POST', '/prompts', { name: 'x', key: 'x', template: 'x' }],
      ['PATCH', `/prompts/${String(id)}`, { name: 'stolen' }],
      ['DELETE', `/prompts/${String(id)}`, undefined],
      // The token is judged before the body is read.
      ['POST', '/prompts', '{'],
    ] as const) {
      const answer = await askPrompts(`/api/v1${path}`, {
        method,
        token,
        ...(body ? { body } : {}),
      });
      const what = `${method} ${path} with ${name}`;
      expect.soft(promptProblem(answer), what).toBeUndefined();
      expect.soft(answer.status, what).toBe(401);
      expect.soft(answer.text, what).not.toContain('zebra');
    }
  }
  const { body } = await owner.call<unknown[]>(200, '/prompts');
  expect(body).toMatchObject([{ name: 'Kept' }]);
});

test('a token of a user who is gone opens nothing of the auth service', async () => {
  const { session, user } = await newAccount('gone');
  const deleted = await askAuth(`/admin/users/${user.id}`, {
    method: 'DELETE',
    token: stack().serviceRoleKey,
  });
  expect(deleted.status).toBe(200);
  const answer = await askAuth('/user', { token: session.access_token });
  expect(answer.json).toMatchObject({ code: 403, error_code: 'user_not_found' });
});

test('odd claims in a token of our own are refused, not stumbled over', async () => {
  const { session } = await newAccount('odd');
  const { claims } = decode(session.access_token);
  for (const change of [
    { sub: undefined },
    { sub: 'no uuid' },
    { sub: 5 },
    { sub: "'; drop table auth.users; --" },
    { session_id: 'no uuid' },
    { session_id: 5 },
    { role: 'postgres' },
    { role: 'supabase_admin' },
    { role: 'nobody"; drop table x' },
    { role: 5 },
    { role: { a: 1 } },
    { aud: 5 },
    { amr: 'x' },
    { app_metadata: 'x' },
  ]) {
    const token = hmacToken({ ...claims, ...change }, stack().jwtSecret);
    const what = JSON.stringify(change);
    expect.soft(authProblem(await askAuth('/user', { token })), what).toBeUndefined();
    const prompts = await askPrompts('/api/v1/prompts', { token });
    expect.soft(promptProblem(prompts), what).toBeUndefined();
    if ('role' in change) expect.soft([401, 403], what).toContain(prompts.status);
  }
});

test('the header itself may be anything', async () => {
  for (const authorization of [
    'Bearer',
    'Bearer ',
    'Bearer  x',
    'Basic YTpi',
    'bearer x',
    'Bearer x y',
    `Bearer ${'x'.repeat(6000)}`,
    'Bearer é',
    stack().serviceRoleKey.slice(0, -1),
  ].map((text) =>
    encodeURIComponent(text) === text ? text : Buffer.from(text).toString('latin1'),
  )) {
    const what = authorization.slice(0, 20);
    const auth = await askAuth('/user', { headers: { authorization } });
    expect.soft([401, 403], what).toContain(auth.status);
    const prompts = await askPrompts('/api/v1/organizations', { headers: { authorization } });
    expect.soft(prompts.status, what).toBe(401);
  }
});

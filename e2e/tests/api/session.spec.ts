/** What a session is worth, how it is renewed and how it ends. */
import { expect, test } from '@playwright/test';
import { AuthSessionMissingError, isAuthSessionMissingError } from '@supabase/supabase-js';
import { PASSWORD, newAccount, newClient, newEmail } from '../../harness/accounts.ts';
import { codeOf, linkOf, takeMail } from '../../harness/mailbox.ts';
import { stack } from '../../harness/stack.ts';
import { decode } from '../../harness/tokens.ts';

test('refreshSession rotates the refresh token', async () => {
  const { client, session } = await newAccount();
  const { data, error } = await client.auth.refreshSession();
  expect(error).toBeNull();
  expect(data.session?.refresh_token).not.toBe(session.refresh_token);
  expect(data.user?.id).toBe(session.user.id);
  const before = decode(session.access_token).claims;
  const after = decode(data.session?.access_token ?? '').claims;
  expect(after['session_id']).toBe(before['session_id']);
  expect((await client.auth.getUser()).error).toBeNull();
});

test('the parent of the active refresh token answers with the active one', async () => {
  const { client, session } = await newAccount();
  const first = await client.auth.refreshSession();
  const repeated = await newClient().auth.refreshSession({ refresh_token: session.refresh_token });
  expect(repeated.error).toBeNull();
  expect(repeated.data.session?.refresh_token).toBe(first.data.session?.refresh_token);
});

test('many tabs refreshing at once all stay signed in', async () => {
  const { session } = await newAccount();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      newClient().auth.refreshSession({ refresh_token: session.refresh_token }),
    ),
  );
  for (const { error } of answers) expect(error).toBeNull();
  const next = answers[0]?.data.session?.refresh_token ?? '';
  const { error } = await newClient().auth.refreshSession({ refresh_token: next });
  expect(error).toBeNull();
});

test('refresh tokens nobody issued are refused', async () => {
  for (const [token, status, code] of [
    ['abcdefghijkl', 400, 'refresh_token_not_found'],
    ['short', 400, 'validation_failed'],
    ['x'.repeat(10_000), 400, 'validation_failed'],
    ["' or 1=1 --x", 400, 'validation_failed'],
  ] as const) {
    const { error } = await newClient().auth.refreshSession({ refresh_token: token });
    expect(error, token.slice(0, 20)).toMatchObject({ status, code });
  }
});

test('getUser reads the user as it is now', async () => {
  const { client, user } = await newAccount();
  const { data, error } = await client.auth.getUser();
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ id: user.id, email: user.email, aud: 'authenticated' });
  expect(data.user?.identities?.[0]).toMatchObject({ provider: 'email', user_id: user.id });

  const nobody = await newClient().auth.getUser();
  expect(isAuthSessionMissingError(nobody.error)).toBe(true);
  expect(nobody.error).toBeInstanceOf(AuthSessionMissingError);
  const forged = await newClient().auth.getUser('not.a.token');
  expect(forged.error).toMatchObject({ status: 403, code: 'bad_jwt' });
});

test('getClaims verifies ES256 tokens with the published keys', async () => {
  const { client, user, session } = await newAccount();
  const { data, error } = await client.auth.getClaims();
  expect(error).toBeNull();
  expect(data?.header).toMatchObject({ alg: 'ES256', typ: 'JWT' });
  expect(data?.claims).toMatchObject({
    sub: user.id,
    email: user.email,
    role: 'authenticated',
    aud: 'authenticated',
    aal: 'aal1',
    is_anonymous: false,
  });
  const jwks = (await (await fetch(`${stack().api}/auth/v1/.well-known/jwks.json`)).json()) as {
    keys: Record<string, unknown>[];
  };
  expect(jwks.keys).toContainEqual(
    expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256', kid: data?.header.kid }),
  );
  for (const key of jwks.keys) {
    expect(key['kty']).not.toBe('oct');
    expect(key).not.toHaveProperty('d');
  }
  const [head, body] = session.access_token.split('.');
  const tampered = await client.auth.getClaims(`${head ?? ''}.${body ?? ''}.${'A'.repeat(86)}`);
  expect(tampered.error?.message).toContain('Invalid JWT signature');
});

test('updateUser merges metadata, and null removes', async () => {
  const { client } = await newAccount();
  await client.auth.updateUser({ data: { name: 'Ada', colour: 'red' } });
  const { data, error } = await client.auth.updateUser({ data: { colour: null, size: 3 } });
  expect(error).toBeNull();
  expect(data.user?.user_metadata).toMatchObject({ name: 'Ada', size: 3, onboarded: true });
  expect(data.user?.user_metadata).not.toHaveProperty('colour');
  const signedOut = await newClient().auth.updateUser({ data: { name: 'Eve' } });
  expect(isAuthSessionMissingError(signedOut.error)).toBe(true);
});

test('updateUser changes the password and ends the other sessions', async () => {
  const { client, email } = await newAccount();
  const other = newClient();
  await other.auth.signInWithPassword({ email, password: PASSWORD });
  const same = await client.auth.updateUser({ password: PASSWORD });
  expect(same.error).toMatchObject({ status: 422, code: 'same_password' });
  const weak = await client.auth.updateUser({ password: 'abc' });
  expect(weak.error).toMatchObject({ status: 422, code: 'weak_password' });
  const { error } = await client.auth.updateUser({ password: 'a whole new password' });
  expect(error).toBeNull();
  expect((await client.auth.getUser()).error).toBeNull();
  const ended = await other.auth.getUser();
  expect(isAuthSessionMissingError(ended.error)).toBe(true);
  const back = await other.auth.signInWithPassword({ email, password: 'a whole new password' });
  expect(back.error).toBeNull();
});

test('updateUser changes the address once both mailboxes agreed', async () => {
  const { client, email } = await newAccount();
  const next = newEmail('moved');
  const { data, error } = await client.auth.updateUser({ email: next });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email, new_email: next });
  const [old, fresh] = [await takeMail(email), await takeMail(next)];

  const first = await fetch(linkOf(old), { redirect: 'manual' });
  expect(first.headers.get('location')).toContain('Confirmation+link+accepted');
  expect((await client.auth.getUser()).data.user?.email).toBe(email);
  const second = await newClient().auth.verifyOtp({
    email: next,
    token: codeOf(fresh),
    type: 'email_change',
  });
  expect(second.error).toBeNull();
  expect((await client.auth.getUser()).data.user).toMatchObject({ email: next });

  const taken = await newAccount();
  const refused = await client.auth.updateUser({ email: taken.email });
  expect(refused.error).toMatchObject({ status: 422, code: 'email_exists' });
});

test('signOut ends this session, the others or all', async () => {
  const { email } = await newAccount();
  const clients = [newClient(), newClient(), newClient()] as const;
  const tokens: string[] = [];
  for (const { auth } of clients) {
    const { data } = await auth.signInWithPassword({ email, password: PASSWORD });
    tokens.push(data.session?.access_token ?? '');
  }
  const [a, b, c] = tokens as [string, string, string];
  const alive = async () => {
    const answers = await Promise.all([a, b, c].map((token) => newClient().auth.getUser(token)));
    return answers.map(({ error }) => error === null);
  };
  expect(await alive()).toEqual([true, true, true]);
  await clients[2].auth.signOut({ scope: 'local' });
  expect(await alive()).toEqual([true, true, false]);
  await clients[0].auth.signOut({ scope: 'others' });
  expect(await alive()).toEqual([true, false, false]);
  expect((await clients[0].auth.refreshSession()).error).toBeNull();
  await clients[0].auth.signOut({ scope: 'global' });
  expect(await alive()).toEqual([false, false, false]);
  expect(isAuthSessionMissingError((await clients[0].auth.getUser()).error)).toBe(true);
  // A sign-out of a session that has ended is a success.
  expect((await clients[1].auth.signOut()).error).toBeNull();
});

test('reauthenticate sends a code', async () => {
  const { client, email } = await newAccount();
  const { error } = await client.auth.reauthenticate();
  expect(error).toBeNull();
  expect(codeOf(await takeMail(email))).toMatch(/^\d{6}$/);
});

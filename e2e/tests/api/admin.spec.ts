/** Administration with the service key, and the doors it opens to nobody else. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { isAuthSessionMissingError } from '@supabase/supabase-js';
import { PASSWORD, adminClient, newAccount, newClient, newEmail } from '../../harness/accounts.ts';
import { ask, askAuth } from '../../harness/http.ts';
import { linkOf, takeMail } from '../../harness/mailbox.ts';
import { stack } from '../../harness/stack.ts';

test('createUser, getUserById, updateUserById, deleteUser', async () => {
  const { admin } = adminClient().auth;
  const email = newEmail();
  const id = randomUUID();
  const created = await admin.createUser({
    id,
    email,
    password: PASSWORD,
    user_metadata: { name: 'Ada' },
    app_metadata: { plan: 'pro' },
  });
  expect(created.error).toBeNull();
  expect(created.data.user).toMatchObject({
    id,
    email,
    user_metadata: { name: 'Ada' },
    app_metadata: { plan: 'pro', provider: 'email', providers: ['email'] },
  });
  const unconfirmed = await newClient().auth.signInWithPassword({ email, password: PASSWORD });
  expect(unconfirmed.error).toMatchObject({ code: 'email_not_confirmed' });

  const updated = await admin.updateUserById(id, {
    email_confirm: true,
    user_metadata: { name: null, team: 'x' },
    ban_duration: '1h',
  });
  expect(updated.data.user).toMatchObject({ user_metadata: { team: 'x' } });
  const banned = await newClient().auth.signInWithPassword({ email, password: PASSWORD });
  expect(banned.error).toMatchObject({ status: 400, code: 'user_banned' });
  await admin.updateUserById(id, { ban_duration: 'none', password: 'a whole new password' });
  const back = await newClient().auth.signInWithPassword({
    email,
    password: 'a whole new password',
  });
  expect(back.error).toBeNull();

  expect((await admin.getUserById(id)).data.user).toMatchObject({ id, email });
  const removed = await admin.deleteUser(id);
  expect(removed.error).toBeNull();
  expect((await admin.getUserById(id)).error).toMatchObject({
    status: 404,
    code: 'user_not_found',
  });
  const orphan = await newClient().auth.getUser(back.data.session?.access_token);
  expect(orphan.error).toMatchObject({ status: 403, code: 'user_not_found' });
  expect((await admin.deleteUser(id)).error).toMatchObject({ status: 404 });
});

test('createUser refuses a taken address', async () => {
  const { email } = await newAccount();
  const { error } = await adminClient().auth.admin.createUser({ email, password: PASSWORD });
  expect(error).toMatchObject({ status: 422, code: 'email_exists' });
});

test('a soft deletion keeps the row and frees the address', async () => {
  const { email, user } = await newAccount();
  const { admin } = adminClient().auth;
  expect((await admin.deleteUser(user.id, true)).error).toBeNull();
  const { data } = await admin.getUserById(user.id);
  expect(data.user?.deleted_at).toBeTruthy();
  expect(data.user?.email).not.toContain('@');
  expect(
    (await newClient().auth.signInWithPassword({ email, password: PASSWORD })).error,
  ).toBeTruthy();
  expect((await admin.createUser({ email, password: PASSWORD })).error).toBeNull();
});

test('listUsers pages through all users', async () => {
  const { admin } = adminClient().auth;
  const accounts = await Promise.all([newAccount(), newAccount(), newAccount()]);
  const first = await admin.listUsers({ page: 1, perPage: 2 });
  expect(first.error).toBeNull();
  if (first.error) return;
  expect(first.data.users).toHaveLength(2);
  expect(first.data.total).toBeGreaterThanOrEqual(3);
  expect(first.data.nextPage).toBe(2);
  expect(first.data.aud).toBe('authenticated');
  const all = await admin.listUsers({ perPage: 1000 });
  const ids = all.data.users.map(({ id }) => id);
  for (const { user } of accounts) expect(ids).toContain(user.id);
});

test('inviteUserByEmail sends a mail whose link signs in', async () => {
  const email = newEmail('guest');
  const { data, error } = await adminClient().auth.admin.inviteUserByEmail(email, {
    data: { team: 'x' },
    redirectTo: `${stack().app}/auth/callback`,
  });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email, user_metadata: { team: 'x' } });
  expect(data.user?.invited_at).toBeTruthy();
  const answer = await fetch(linkOf(await takeMail(email)), { redirect: 'manual' });
  expect(answer.headers.get('location')).toMatch(/\/auth\/callback#access_token=.*type=invite/);
  const { email: known } = await newAccount();
  const again = await adminClient().auth.admin.inviteUserByEmail(known);
  expect(again.error).toMatchObject({ status: 422, code: 'email_exists' });
});

test('signing a user out by a token', async () => {
  const { session } = await newAccount();
  const { error } = await adminClient().auth.admin.signOut(session.access_token, 'global');
  expect(error).toBeNull();
  const ended = await newClient().auth.getUser(session.access_token);
  expect(isAuthSessionMissingError(ended.error)).toBe(true);
});

test('the opaque keys open what the legacy keys open', async () => {
  const { publishableKey, secretKey } = stack();
  const email = newEmail();
  const created = await adminClient(secretKey).auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
  });
  expect(created.error).toBeNull();
  const { auth } = newClient(publishableKey);
  const { data, error } = await auth.signInWithPassword({ email, password: PASSWORD });
  expect(error).toBeNull();
  expect((await auth.getUser()).data.user?.id).toBe(data.user?.id);
  expect((await auth.getClaims()).error).toBeNull();
});

test('nobody else administers', async () => {
  const { session, client, user } = await newAccount();
  for (const { auth } of [newClient(), newClient(stack().publishableKey), client]) {
    for (const { error } of [
      await auth.admin.listUsers(),
      await auth.admin.createUser({ email: newEmail(), password: PASSWORD }),
      await auth.admin.deleteUser(user.id),
      await auth.admin.generateLink({ type: 'magiclink', email: user.email ?? '' }),
      await auth.admin.inviteUserByEmail(newEmail()),
    ]) {
      expect([401, 403], error?.message).toContain(error?.status);
    }
  }
  const asMember = await askAuth('/admin/users', { token: session.access_token });
  expect(asMember.status).toBe(403);
  expect(asMember.json).toMatchObject({ error_code: 'not_admin' });
  const bare = await ask(`${stack().api}/auth/v1/admin/users`);
  expect(bare.status).toBe(401);
  expect((await newClient().auth.getUser(session.access_token)).error).toBeNull();
});

test('nobody makes themselves an administrator', async () => {
  const { session } = await newAccount();
  const answer = await askAuth('/user', {
    method: 'PUT',
    token: session.access_token,
    body: { app_metadata: { role: 'admin' }, role: 'service_role', aud: 'x' },
  });
  expect(answer.status).toBe(403);
  const ignored = await askAuth('/user', {
    method: 'PUT',
    token: session.access_token,
    body: { role: 'service_role', aud: 'x', id: randomUUID(), is_super_admin: true },
  });
  expect(ignored.status).toBe(200);
  expect(ignored.json).toMatchObject({ role: 'authenticated', aud: 'authenticated' });
  const data = await askAuth('/signup', {
    method: 'POST',
    body: { email: newEmail(), password: PASSWORD, role: 'service_role', data: { role: 'x' } },
  });
  expect(data.json).toMatchObject({ role: 'authenticated' });
});

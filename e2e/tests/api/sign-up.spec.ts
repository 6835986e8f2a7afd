/** Getting an account and getting in, with unmodified supabase-js. */
import { expect, test } from '@playwright/test';
import {
  AuthApiError,
  AuthWeakPasswordError,
  isAuthApiError,
  isAuthWeakPasswordError,
} from '@supabase/supabase-js';
import { PASSWORD, adminClient, newAccount, newClient, newEmail } from '../../harness/accounts.ts';
import { codeOf, linkOf, mailCount, takeMail } from '../../harness/mailbox.ts';
import { stack } from '../../harness/stack.ts';
import { decode } from '../../harness/tokens.ts';

const callback = () => `${stack().app}/auth/callback`;

test('signUp asks for a confirmation, whose code signs in', async () => {
  const email = newEmail();
  const { auth } = newClient();
  const signedUp = await auth.signUp({
    email,
    password: PASSWORD,
    options: { data: { name: 'Ada', nested: { a: [1, 'é', null] } } },
  });
  expect(signedUp.error).toBeNull();
  expect(signedUp.data.session).toBeNull();
  expect(signedUp.data.user).toMatchObject({
    email,
    aud: 'authenticated',
    role: 'authenticated',
    phone: '',
    is_anonymous: false,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { name: 'Ada', nested: { a: [1, 'é', null] }, email, email_verified: false },
  });
  expect(signedUp.data.user?.identities).toHaveLength(1);
  expect(signedUp.data.user?.email_confirmed_at).toBeUndefined();

  const early = await auth.signInWithPassword({ email, password: PASSWORD });
  expect(early.error).toMatchObject({ status: 400, code: 'email_not_confirmed' });
  const wrong = await auth.signInWithPassword({ email, password: 'not this one' });
  expect(wrong.error).toMatchObject({ status: 400, code: 'invalid_credentials' });

  const token = codeOf(await takeMail(email));
  const verified = await auth.verifyOtp({ email, token, type: 'email' });
  expect(verified.error).toBeNull();
  expect(verified.data.user).toMatchObject({ email, user_metadata: { email_verified: true } });
  expect(verified.data.session?.token_type).toBe('bearer');
  const again = await newClient().auth.verifyOtp({ email, token, type: 'email' });
  expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' });

  const { data, error } = await newClient().auth.signInWithPassword({ email, password: PASSWORD });
  expect(error).toBeNull();
  expect(data.user?.id).toBe(verified.data.user?.id);
});

test('signing up again with a confirmed address does not tell', async () => {
  const { email, user } = await newAccount();
  const { data, error } = await newClient().auth.signUp({ email, password: 'another password' });
  expect(error).toBeNull();
  expect(data.session).toBeNull();
  expect(data.user?.email).toBe(email);
  expect(data.user?.role).toBe('authenticated');
  expect(data.user?.identities).toHaveLength(1);
  expect(data.user?.id).not.toBe(user.id);
  expect(await mailCount(email)).toBe(0);
});

test('bad sign-ups tell why', async () => {
  const { auth } = newClient();
  const weak = await auth.signUp({ email: newEmail(), password: '123' });
  expect(isAuthWeakPasswordError(weak.error)).toBe(true);
  expect(weak.error).toBeInstanceOf(AuthWeakPasswordError);
  expect(weak.error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['length'] });

  const address = await auth.signUp({ email: 'no address', password: PASSWORD });
  expect(isAuthApiError(address.error)).toBe(true);
  expect(address.error).toBeInstanceOf(AuthApiError);
  expect(address.error).toMatchObject({
    status: 400,
    code: 'validation_failed',
    message: 'Unable to validate email address: invalid format',
  });
  const long = await auth.signUp({ email: newEmail(), password: 'é'.repeat(37) });
  expect(long.error).toMatchObject({
    status: 400,
    message: 'Password cannot be longer than 72 characters',
  });
});

test('signInWithPassword answers one thing for a wrong password and an unknown address', async () => {
  const { email } = await newAccount();
  const { auth } = newClient();
  const wrong = await auth.signInWithPassword({ email, password: 'not this one' });
  const unknown = await auth.signInWithPassword({ email: newEmail(), password: PASSWORD });
  for (const { error, data } of [wrong, unknown]) {
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    });
    expect(data.session).toBeNull();
  }
});

test('signInWithOtp creates an account, and its code signs in once', async () => {
  const email = newEmail();
  const { auth } = newClient();
  const { error } = await auth.signInWithOtp({ email, options: { data: { name: 'Grace' } } });
  expect(error).toBeNull();
  const token = codeOf(await takeMail(email));
  const wrong = token === '000000' ? '111111' : '000000';
  const refused = await auth.verifyOtp({ email, token: wrong, type: 'email' });
  expect(refused.error).toMatchObject({
    status: 403,
    code: 'otp_expired',
    message: 'Token has expired or is invalid',
  });
  const { data } = await auth.verifyOtp({ email, token, type: 'email' });
  expect(data.user?.user_metadata).toMatchObject({ name: 'Grace' });
  const { claims } = decode(data.session?.access_token ?? '');
  expect(claims['amr']).toMatchObject([{ method: 'otp' }]);

  // Who has no account and does not want one gets no mail.
  const stranger = newEmail();
  const unknown = await newClient().auth.signInWithOtp({
    email: stranger,
    options: { shouldCreateUser: false },
  });
  expect(unknown.error).toMatchObject({ status: 422, code: 'otp_disabled' });
  expect(await mailCount(stranger)).toBe(0);
});

test('the address is one whatever its case', async () => {
  const { email, user } = await newAccount();
  const { data } = await newClient().auth.signInWithPassword({
    email: email.toUpperCase(),
    password: PASSWORD,
  });
  expect(data.user?.id).toBe(user.id);
});

test('a link answers the browser that asked: PKCE', async () => {
  const email = newEmail();
  const { auth } = newClient(stack().anonKey, { flowType: 'pkce', detectSessionInUrl: false });
  const sent = await auth.signInWithOtp({
    email,
    options: { emailRedirectTo: `${callback()}?next=%2Fprompts` },
  });
  expect(sent.error).toBeNull();
  const answer = await fetch(linkOf(await takeMail(email)), { redirect: 'manual' });
  expect(answer.status).toBe(303);
  const back = new URL(answer.headers.get('location') ?? '');
  expect(`${back.origin}${back.pathname}`).toBe(callback());
  expect(back.searchParams.get('next')).toBe('/prompts');
  const code = back.searchParams.get('code') ?? '';

  // Another browser has another verifier, and asking with it costs nothing.
  const thief = newClient(stack().anonKey, { flowType: 'pkce', detectSessionInUrl: false });
  await thief.auth.signInWithOtp({ email: newEmail('thief') });
  const stolen = await thief.auth.exchangeCodeForSession(code);
  expect(stolen.error).toMatchObject({ status: 400, code: 'bad_code_verifier' });

  const { data, error } = await auth.exchangeCodeForSession(code);
  expect(error).toBeNull();
  expect(data.user?.email).toBe(email);
  const spent = await auth.exchangeCodeForSession(code);
  expect(spent.error).not.toBeNull();
});

test('without PKCE a link carries the session in the fragment', async () => {
  const email = newEmail();
  const { auth } = newClient(stack().anonKey, { flowType: 'implicit' });
  await auth.signInWithOtp({ email, options: { emailRedirectTo: callback() } });
  const link = linkOf(await takeMail(email));
  const answer = await fetch(link, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  const values = new URLSearchParams(back.hash.slice(1));
  const { data, error } = await auth.setSession({
    access_token: values.get('access_token') ?? '',
    refresh_token: values.get('refresh_token') ?? '',
  });
  expect(error).toBeNull();
  expect(data.user?.email).toBe(email);

  const second = await fetch(link, { redirect: 'manual' });
  expect(second.status).toBe(303);
  const refusal = new URLSearchParams(new URL(second.headers.get('location') ?? '').hash.slice(1));
  expect(refusal.get('error')).toBe('access_denied');
  expect(refusal.get('error_code')).toBe('otp_expired');
});

test('a link never leads to a site that is not allowed', async () => {
  for (const target of [
    'https://evil.example/x',
    'http://127.0.0.1.evil.example/',
    'javascript:alert(1)',
  ]) {
    const email = newEmail();
    const { error } = await newClient().auth.signInWithOtp({
      email,
      options: { emailRedirectTo: target },
    });
    expect(error).toBeNull();
    const answer = await fetch(linkOf(await takeMail(email)), { redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? '');
    expect(back.hostname, target).toMatch(/^(127\.0\.0\.1|localhost)$/);
  }
});

test('resend sends the confirmation again, and only to those who wait for one', async () => {
  const email = newEmail();
  const { auth } = newClient();
  await auth.signUp({ email, password: PASSWORD });
  const first = codeOf(await takeMail(email));
  // The service asks for a pause between two mails; how long is its own business.
  await expect.poll(async () => (await auth.resend({ type: 'signup', email })).error).toBeNull();
  const second = codeOf(await takeMail(email));
  if (first !== second) {
    const old = await auth.verifyOtp({ email, token: first, type: 'email' });
    expect(old.error).toMatchObject({ code: 'otp_expired' });
  }
  const { error } = await auth.verifyOtp({ email, token: second, type: 'email' });
  expect(error).toBeNull();

  await expect.poll(async () => (await auth.resend({ type: 'signup', email })).error).toBeNull();
  const stranger = newEmail();
  expect((await auth.resend({ type: 'signup', email: stranger })).error).toBeNull();
  expect(await mailCount(email)).toBe(0);
  expect(await mailCount(stranger)).toBe(0);
});

test('two mails within a moment are refused', async () => {
  const { email } = await newAccount();
  const { auth } = newClient();
  const answers = await Promise.all([1, 2, 3].map(() => auth.signInWithOtp({ email })));
  const refused = answers.filter(({ error }) => error !== null);
  for (const { error } of refused) {
    expect(error?.status, error?.message).toBeGreaterThanOrEqual(400);
    expect(error?.status).toBeLessThan(500);
  }
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(1);
});

test('resetPasswordForEmail lets one choose a new password', async () => {
  const account = await newAccount();
  const { auth } = newClient(stack().anonKey, { flowType: 'pkce', detectSessionInUrl: false });
  const { error } = await auth.resetPasswordForEmail(account.email, { redirectTo: callback() });
  expect(error).toBeNull();
  const answer = await fetch(linkOf(await takeMail(account.email)), { redirect: 'manual' });
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
  await auth.exchangeCodeForSession(code);
  const changed = await auth.updateUser({ password: 'a whole new password' });
  expect(changed.error).toBeNull();

  const { email } = account;
  const old = await newClient().auth.signInWithPassword({ email, password: PASSWORD });
  expect(old.error).toMatchObject({ code: 'invalid_credentials' });
  const fresh = await newClient().auth.signInWithPassword({
    email,
    password: 'a whole new password',
  });
  expect(fresh.error).toBeNull();

  const stranger = newEmail();
  expect((await newClient().auth.resetPasswordForEmail(stranger)).error).toBeNull();
  expect(await mailCount(stranger)).toBe(0);
});

test('what is switched off says so', async () => {
  const { auth } = newClient();
  const settings = await fetch(`${stack().api}/auth/v1/settings`, {
    headers: { apikey: stack().anonKey },
  });
  const { external } = (await settings.json()) as { external: Record<string, boolean> };
  if (!external['anonymous_users']) {
    const { error } = await auth.signInAnonymously();
    expect(error).toMatchObject({ status: 422, code: 'anonymous_provider_disabled' });
  }
  if (!external['phone']) {
    const { error } = await auth.signInWithOtp({ phone: '+15555550100' });
    expect(error).toMatchObject({ status: 400, code: 'phone_provider_disabled' });
  }
});

test('every kind of generated link works', async () => {
  const { auth } = adminClient();
  const confirmed = await newAccount();
  const fresh = newEmail();
  const signup = await auth.admin.generateLink({
    type: 'signup',
    email: fresh,
    password: PASSWORD,
    options: { data: { plan: 'free' } },
  });
  expect(signup.data.user?.user_metadata).toEqual({ plan: 'free' });
  const magic = await auth.admin.generateLink({ type: 'magiclink', email: confirmed.email });
  const recovery = await auth.admin.generateLink({ type: 'recovery', email: confirmed.email });
  const invite = await auth.admin.generateLink({ type: 'invite', email: newEmail() });

  for (const { data, error } of [signup, magic, recovery, invite]) {
    expect(error).toBeNull();
    expect(data.properties?.email_otp).toMatch(/^\d{6}$/);
    expect(data.properties?.action_link).toContain(data.properties?.hashed_token ?? '-');
  }
  // Magic link and recovery share one token: the later one counts.
  const byHash = await newClient().auth.verifyOtp({
    token_hash: recovery.data.properties?.hashed_token ?? '',
    type: 'recovery',
  });
  expect(byHash.error).toBeNull();
  expect(byHash.data.user?.id).toBe(confirmed.user.id);
  const byCode = await newClient().auth.verifyOtp({
    email: fresh,
    token: signup.data.properties?.email_otp ?? '',
    type: 'signup',
  });
  expect(byCode.error).toBeNull();
  const followed = await fetch(invite.data.properties?.action_link ?? '', { redirect: 'manual' });
  expect(followed.status).toBe(303);
  expect(followed.headers.get('location')).toContain('access_token=');
});

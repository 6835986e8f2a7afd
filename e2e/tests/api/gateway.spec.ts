/** What the stack itself promises: health, keys, CORS, files and addresses. */
import { expect, test } from '@playwright/test';
import { REALTIME_SUBSCRIBE_STATES } from '@supabase/supabase-js';
import { newClient } from '../../harness/accounts.ts';
import { ask, askAuth, askPrompts } from '../../harness/http.ts';
import { stack } from '../../harness/stack.ts';

test('both ports serve one routing table', async () => {
  for (const origin of [stack().api, stack().app]) {
    const read = () => ask(`${origin}/health`);
    // A database that answers slowly for a moment is a degraded one.
    await expect.poll(async () => (await read()).json).toMatchObject({ status: 'ok' });
    const health = await read();
    expect(health.status).toBe(200);
    expect(health.json).toMatchObject({ version: expect.any(String) as unknown });
    const { components } = health.json as { components: { name: string; status: string }[] };
    expect(components.map(({ name }) => name)).toEqual([
      'API Server',
      'Database',
      'Cache Layer',
      'AI Models',
      // Every service beside the one that answers.
      'auth',
    ]);
    expect((await ask(`${origin}/auth/v1/health`)).json).toMatchObject({ name: 'GoTrue' });
    expect((await ask(`${origin}/metrics`)).status).toBe(401);
    const metrics = await ask(`${origin}/metrics`, { headers: { apikey: stack().secretKey } });
    expect(metrics.text).toContain('# TYPE ');
    expect(metrics.headers.has('access-control-allow-origin')).toBe(false);
    expect((await ask(`${origin}/docs`)).status).toBeLessThan(400);
    expect((await ask(`${origin}/api/openapi.json`)).json).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/) as unknown,
    });
    const app = await ask(`${origin}/dashboard`);
    expect(app.headers.get('content-type')).toContain('text/html');
    expect(app.text).toContain(stack().anonKey);
    expect(app.text).not.toContain(stack().serviceRoleKey);
  }
});

test('what is not built says so in JSON or text, never with the web app', async () => {
  for (const path of [
    '/rest/v1/prompts',
    '/storage/v1/bucket',
    '/functions/v1/hello',
    '/graphql/v1',
  ]) {
    const answer = await ask(`${stack().api}${path}`, { headers: { apikey: stack().anonKey } });
    expect(answer.headers.get('content-type'), path).not.toContain('text/html');
    expect(answer.status, path).toBeLessThan(600);
  }
});

test('a channel is refused in words, once, and not left to a time-out', async () => {
  const heard: string[] = [];
  const closed = new Promise<void>((resolve) => {
    newClient()
      .channel('room')
      .on('broadcast', { event: 'said' }, () => undefined)
      .subscribe((status, error) => {
        heard.push(error === undefined ? status : `${status}: ${error.message}`);
        if (status === REALTIME_SUBSCRIBE_STATES.CLOSED) resolve();
      });
  });
  await closed;
  expect(heard).toEqual([
    'CHANNEL_ERROR: Realtime (/realtime/v1) is not part of this build yet.',
    'CLOSED',
  ]);
});

test('a browser of another site may call the APIs', async () => {
  for (const url of [
    `${stack().api}/auth/v1/token?grant_type=password`,
    `${stack().app}/api/v1/prompts`,
  ]) {
    const preflight = await ask(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey,authorization,content-type,x-client-info',
      },
    });
    expect(preflight.status, url).toBeLessThan(300);
    expect(preflight.headers.get('access-control-allow-origin')).toMatch(
      /^(\*|https:\/\/elsewhere\.example)$/,
    );
    expect(preflight.headers.get('access-control-allow-methods')).toMatch(/POST|\*/);
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(
      /apikey|\*/,
    );
    const actual = await ask(url, { headers: { origin: 'https://elsewhere.example' } });
    expect(actual.headers.get('access-control-allow-origin')).toMatch(
      /^(\*|https:\/\/elsewhere\.example)$/,
    );
  }
});

test('files outside the app are out of reach', async () => {
  for (const path of [
    '/../Cargo.toml',
    '/..%2fCargo.toml',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/..%5c..%5cCargo.toml',
    '/assets/%00',
    '//etc/passwd',
    '/.env',
    '/.git/config',
  ]) {
    const answer = await ask(`${stack().app}${path}`);
    expect(answer.status, path).toBeLessThan(500);
    expect(answer.text).not.toMatch(/\[workspace|root:|\[core\]/);
  }
});

test('missing assets are 404, and hashed ones are kept for good', async () => {
  expect((await ask(`${stack().app}/assets/nothing-0000.js`)).status).toBe(404);
  const page = await ask(`${stack().app}/`);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1] ?? '';
  const asset = await ask(`${stack().app}${script}`);
  expect(asset.status).toBe(200);
  expect(asset.headers.get('cache-control')).toContain('immutable');
  expect(page.headers.get('cache-control')).not.toContain('immutable');
  for (const header of ['x-content-type-options', 'content-security-policy', 'referrer-policy']) {
    expect(page.headers.get(header), header).toBeTruthy();
  }
});

test('errors of the auth service have both of upstream’s shapes', async () => {
  const body = { email: 'nobody@example.com', password: 'x' };
  const legacy = await askAuth('/token?grant_type=password', { method: 'POST', body });
  expect(legacy.json).toEqual({
    code: 400,
    error_code: 'invalid_credentials',
    msg: 'Invalid login credentials',
  });
  expect(legacy.headers.get('x-sb-error-code')).toBe('invalid_credentials');
  const dated = await askAuth('/token?grant_type=password', {
    method: 'POST',
    body,
    headers: { 'x-supabase-api-version': '2024-01-01' },
  });
  expect(dated.json).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' });
  expect(dated.headers.get('x-supabase-api-version')).toBe('2024-01-01');
});

test('the diagnostic route is closed unless it is asked for', async () => {
  expect((await askPrompts('/debug/auth-test')).status).toBe(404);
});

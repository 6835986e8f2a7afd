/** Two people who must not notice each other. */
import { expect, test } from '@playwright/test';
import { newAccount } from '../../harness/accounts.ts';
import { askPrompts } from '../../harness/http.ts';
import { PromptCaller, type Prompt } from '../../harness/prompts.ts';

const SECRET = {
  name: 'Secret plan',
  key: 'secret-plan',
  template: 'Attack at {time} with the zebra.',
  tags: ['classified'],
};

const post = (body?: unknown) => ({ method: 'POST', ...(body === undefined ? {} : { body }) });

test('a prompt is as unknown to others as one that never was', async () => {
  const [ada, eve] = await Promise.all([newAccount('ada'), newAccount('eve')]);
  const owner = new PromptCaller(ada.session.access_token);
  const prompt = await owner.create(SECRET);
  const { id, current_version, repository } = prompt;
  const repo = `${repository.owner}/${repository.slug}`;
  const nowhere = 9_000_000_000 + id;

  for (const other of [new PromptCaller(eve.session.access_token)]) {
    const bothWays = async (path: (id: number) => string, options = {}) => {
      const theirs = await other.refused(404, path(id), options);
      const nothing = await other.refused(404, path(nowhere), options);
      expect(theirs.code).toBe(nothing.code);
      expect(theirs.message.replace(String(id), '#')).toBe(
        nothing.message.replace(String(nowhere), '#'),
      );
    };
    await bothWays((n) => `/prompts/${String(n)}`);
    await bothWays((n) => `/prompts/${String(n)}/versions`);
    await bothWays((n) => `/prompts/${String(n)}/versions/1`);
    await bothWays((n) => `/prompts/${String(n)}/versions`, post({ template: 'mine' }));
    await bothWays((n) => `/prompts/${String(n)}/rollback`, post({ version: 1 }));
    await bothWays((n) => `/prompts/${String(n)}/archive`, post());
    await bothWays((n) => `/prompts/${String(n)}/unarchive`, post());
    await bothWays((n) => `/prompts/${String(n)}`, { method: 'PATCH', body: { name: 'mine' } });
    await bothWays((n) => `/prompts/${String(n)}`, { method: 'DELETE' });
    await other.refused(404, `/prompts/by-key/${SECRET.key}`);
    await other.refused(404, `/prompts/by-key/${SECRET.key}?repo=${repo}`);
    await other.refused(404, `/prompts/compile/${SECRET.key}`, post({ variables: {} }));

    for (const query of [
      '',
      '?q=zebra',
      '?q=secret',
      '?tag=classified',
      '?archived=all',
      `?repo=${repo}`,
    ]) {
      const answer = await askPrompts(`/api/v1/prompts${query}`, {
        token: eve.session.access_token,
      });
      expect([200, 404]).toContain(answer.status);
      expect(answer.text, query).not.toContain('ecret');
      if (answer.status === 200) expect(answer.headers.get('x-total-count')).toBe('0');
    }
    const created = { ...SECRET, key: 'intruder', repo };
    const answer = await askPrompts('/api/v1/prompts', {
      ...post(created),
      token: eve.session.access_token,
    });
    expect([403, 404]).toContain(answer.status);
    expect((await other.call<object>(200, '/stats/overview')).body).toMatchObject({ prompts: 0 });
  }

  const after = await owner.call<Prompt>(200, `/prompts/${String(id)}`);
  expect(after.body).toEqual(prompt);
  expect(after.body.current_version.id).toBe(current_version.id);
});

test('without a token there is nothing private to see', async () => {
  const { session } = await newAccount();
  const { id } = await new PromptCaller(session.access_token).create(SECRET);
  const nobody = new PromptCaller();
  for (const path of [`/prompts/${String(id)}`, `/prompts/by-key/${SECRET.key}`]) {
    const answer = await askPrompts(`/api/v1${path}`);
    expect([401, 404], path).toContain(answer.status);
    expect(answer.text).not.toContain('zebra');
  }
  const list = await askPrompts('/api/v1/prompts?q=zebra&archived=all');
  expect(list.text).not.toContain('zebra');
  for (const [path, options] of [
    ['/prompts', post(SECRET)],
    [`/prompts/${String(id)}`, { method: 'PATCH', body: { name: 'x' } }],
    [`/prompts/${String(id)}`, { method: 'DELETE' }],
    [`/prompts/${String(id)}/archive`, post()],
    [`/prompts/${String(id)}/versions`, post({ template: 'x' })],
    [`/prompts/${String(id)}/rollback`, post({ version: 1 })],
    ['/organizations', {}],
    ['/stats/overview', {}],
  ] as const) {
    const error = await nobody.refused(401, path, options);
    expect(error.code).toBe('unauthorized');
  }
});

test('two people use the same key side by side', async () => {
  const accounts = await Promise.all([newAccount(), newAccount()]);
  const callers = accounts.map(({ session }) => new PromptCaller(session.access_token));
  for (const [index, caller] of callers.entries()) {
    await caller.create({ ...SECRET, template: `Template of ${String(index)}` });
  }
  for (const [index, caller] of callers.entries()) {
    const { body } = await caller.call<Prompt>(200, `/prompts/by-key/${SECRET.key}`);
    expect(body.current_version.template).toBe(`Template of ${String(index)}`);
  }
});

test('the rights of a session end with the session’s user', async () => {
  const { session, client } = await newAccount();
  const caller = new PromptCaller(session.access_token);
  await caller.create(SECRET);
  await client.auth.signOut({ scope: 'global' });
  const refreshed = await client.auth.refreshSession({ refresh_token: session.refresh_token });
  expect(refreshed.error).toMatchObject({ code: 'refresh_token_not_found' });
});

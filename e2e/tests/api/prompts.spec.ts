/** The prompt API from a script: create, compile, version, roll back, archive. */
import { createHash } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { newAccount } from '../../harness/accounts.ts';
import { askPrompts } from '../../harness/http.ts';
import { PromptCaller, type Compiled, type Prompt, type Version } from '../../harness/prompts.ts';

const WELCOME = {
  name: 'Welcome',
  key: 'welcome',
  description: 'Greets by name.',
  template: 'Hello {name}, today is {TODAY}.',
  tags: ['email', 'support'],
};

async function newCaller(): Promise<PromptCaller> {
  const { session } = await newAccount();
  return new PromptCaller(session.access_token);
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const post = (body: unknown) => ({ method: 'POST', body });

test('a prompt’s life over HTTP', async () => {
  const api = await newCaller();

  const prompt = await api.create(WELCOME);
  expect(prompt).toMatchObject({
    key: 'welcome',
    name: 'Welcome',
    description: 'Greets by name.',
    tags: ['email', 'support'],
    is_archived: false,
    versions_count: 1,
    repository: { slug: 'default' },
    current_version: {
      version: 1,
      template: WELCOME.template,
      content_hash: sha256(WELCOME.template),
    },
  });
  const path = `/prompts/${String(prompt.id)}`;
  expect((await api.call<Prompt>(200, path)).body).toEqual(prompt);
  expect((await api.call<Prompt>(200, '/prompts/by-key/welcome')).body).toEqual(prompt);

  const compiled = await api.call<Compiled>(
    200,
    '/prompts/compile/welcome',
    post({ variables: { name: 'Ada', extra: 1 }, now: '2026-11-20T08:30:00Z' }),
  );
  expect(compiled.body).toMatchObject({
    key: 'welcome',
    version: 1,
    compiled_template: 'Hello Ada, today is 2026-11-20.',
    metadata: { missing: [], unused: ['extra'], content_hash: sha256(WELCOME.template) },
    system_variables: {
      TODAY: '2026-11-20',
      NOW: '2026-11-20T08:30:00Z',
      TIMESTAMP: 1_795_163_400,
      DATE: '2026-11-20',
      TIME: '08:30:00',
    },
  });

  const second = await api.call<Version>(
    201,
    `${path}/versions`,
    post({ template: 'Dear {name},\r\nwelcome.', metadata: { description: 'Formal' } }),
  );
  expect(second.body).toMatchObject({
    version: 2,
    template: 'Dear {name},\nwelcome.',
    metadata: { description: 'Formal' },
  });
  const same = await api.refused(
    409,
    `${path}/versions`,
    post({ template: 'Dear {name},\nwelcome.' }),
  );
  expect(same.code).toBe('no_change');

  const restored = await api.call<Prompt>(200, `${path}/rollback`, post({ version: 1 }));
  expect(restored.body.current_version).toMatchObject({
    version: 3,
    template: WELCOME.template,
    metadata: { description: 'Restore v1' },
  });
  const versions = await api.call<Version[]>(200, `${path}/versions`);
  expect(versions.body.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(versions.headers.get('x-total-count')).toBe('3');
  const one = await api.call<Version>(200, `${path}/versions/2`);
  expect(one.body).toMatchObject({ version: 2, template: 'Dear {name},\nwelcome.' });
  await api.refused(404, `${path}/versions/4`);

  const changed = await api.call<Prompt>(200, path, {
    method: 'PATCH',
    body: { name: 'Welcome!', description: null, tags: ['a'] },
  });
  expect(changed.body).toMatchObject({ name: 'Welcome!', description: null, tags: ['a'] });
  expect(changed.body.versions_count).toBe(3);

  const archived = await api.call<Prompt>(200, `${path}/archive`, { method: 'POST' });
  expect(archived.body.is_archived).toBe(true);
  expect((await api.call<Prompt[]>(200, '/prompts')).body).toEqual([]);
  expect((await api.call<Prompt[]>(200, '/prompts?archived=true')).body).toHaveLength(1);
  const back = await api.call<Prompt>(200, `${path}/unarchive`, { method: 'POST' });
  expect(back.body.is_archived).toBe(false);

  const stats = await api.call<Record<string, number | null>>(200, '/stats/overview');
  expect(stats.body).toMatchObject({ prompts: 1, versions: 3 });

  await api.call(204, path, { method: 'DELETE' });
  const gone = await api.refused(404, path);
  expect(gone).toMatchObject({
    code: 'not_found',
    message: `No prompt found with id ${String(prompt.id)}`,
  });
});

test('a fetch by key is answered 304 while nothing changed', async () => {
  const api = await newCaller();
  const { id } = await api.create(WELCOME);
  const first = await api.call<Prompt>(200, '/prompts/by-key/welcome');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[^"]+"$/);
  const headers = { 'if-none-match': etag };
  const unchanged = await api.call(304, '/prompts/by-key/welcome', { headers });
  expect(unchanged.text).toBe('');
  await api.call(304, '/prompts/by-key/welcome', {
    headers: { 'if-none-match': `"x", W/${etag}` },
  });
  const version = { template: 'Hello again, {name}.' };
  await api.call(201, `/prompts/${String(id)}/versions`, post(version));
  const next = await api.call<Prompt>(200, '/prompts/by-key/welcome', { headers });
  expect(next.body.current_version.version).toBe(2);
  expect(next.headers.get('etag')).not.toBe(etag);
  const old = await api.call<Prompt>(200, '/prompts/by-key/welcome?version=1');
  expect(old.body.current_version.template).toBe(WELCOME.template);
});

test('a save against a stale copy is refused', async () => {
  const api = await newCaller();
  const { id } = await api.create(WELCOME);
  const path = `/prompts/${String(id)}`;
  const etag = (await api.call<Prompt>(200, path)).headers.get('etag') ?? '';
  const headers = { 'if-match': etag };
  await api.call(200, path, { method: 'PATCH', headers, body: { name: 'One' } });
  const stale = await api.refused(412, path, { method: 'PATCH', headers, body: { name: 'Two' } });
  expect(stale.code).toBe('precondition_failed');
  const staleVersion = { method: 'POST', headers, body: { template: 'Two {name}' } };
  await api.refused(412, `${path}/versions`, staleVersion);
  expect((await api.call<Prompt>(200, path)).body).toMatchObject({
    name: 'One',
    versions_count: 1,
  });
});

test('of many saves at the same moment none is lost', async () => {
  const api = await newCaller();
  const { id } = await api.create(WELCOME);
  const path = `/prompts/${String(id)}/versions`;
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      api.call<Version>(201, path, post({ template: `Text ${String(index)}` })),
    ),
  );
  const { body } = await api.call<Version[]>(200, path);
  expect(body.map(({ version }) => version)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('lists are filtered, cut and counted', async () => {
  const api = await newCaller();
  for (const [index, tags] of [['red'], ['red', 'blue'], ['blue'], ['Red']].entries()) {
    await api.create({
      ...WELCOME,
      key: `p-${String(index)}`,
      name: `Prompt ${String(index)}`,
      tags,
    });
  }
  const keys = async (query: string) => {
    const { body, headers } = await api.call<Prompt[]>(200, `/prompts${query}`);
    return [body.map(({ key }) => key), headers.get('x-total-count')];
  };
  expect(await keys('')).toEqual([['p-3', 'p-2', 'p-1', 'p-0'], '4']);
  expect(await keys('?limit=2')).toEqual([['p-3', 'p-2'], '4']);
  expect(await keys('?limit=2&skip=3')).toEqual([['p-0'], '4']);
  expect(await keys('?tag=red')).toEqual([['p-1', 'p-0'], '2']);
  expect(await keys('?tag=red&tag=blue')).toEqual([['p-1'], '1']);
  expect(await keys('?q=PROMPT%202')).toEqual([['p-2'], '1']);
  expect(await keys('?q=%25')).toEqual([[], '0']);
  expect(await keys('?q=_')).toEqual([[], '0']);
});

test('an unsaved template compiles too', async () => {
  const api = await newCaller();
  const { body } = await api.call<Compiled>(
    200,
    '/compile',
    post({ template: '{a} {{a}} {b} {o}', variables: { a: '{b}$1', o: { x: [1, 'é'] } } }),
  );
  expect(body).toMatchObject({
    key: null,
    version: null,
    compiled_template: '{b}$1 {a} {b} {"x":[1,"é"]}',
    metadata: { missing: ['b'], unused: [] },
  });
  const strict = await api.refused(
    422,
    '/compile',
    post({ template: '{a} {b}', variables: { a: 1 }, strict: true }),
  );
  expect(strict.code).toBe('missing_variables');
});

test('fields that break a rule are named', async () => {
  const api = await newCaller();
  await api.create(WELCOME);
  for (const [change, field] of [
    [{ key: 'Not A Key' }, 'key'],
    [{ key: '-' }, 'key'],
    [{ key: 'new' }, 'key'],
    [{ key: 'k'.repeat(65) }, 'key'],
    [{ name: '' }, 'name'],
    [{ name: 'n'.repeat(121) }, 'name'],
    [{ description: 'd'.repeat(1001) }, 'description'],
    [{ template: '' }, 'template'],
    [{ template: 'nul \0 inside' }, 'template'],
    [{ tags: Array.from({ length: 21 }, (_, index) => `t${String(index)}`) }, 'tags'],
    [{ tags: ['t'.repeat(33)] }, 'tags'],
  ] as const) {
    const body = { ...WELCOME, key: 'fresh', ...change };
    const error = await api.refused(422, '/prompts', post(body));
    expect(
      error.details?.map((problem) => problem.field),
      JSON.stringify(change).slice(0, 60),
    ).toContain(field);
  }
  const taken = await api.refused(409, '/prompts', post(WELCOME));
  expect(taken.code).toBe('conflict');
  const large = { ...WELCOME, key: 'large', template: 'x'.repeat(256 * 1024 + 1) };
  const answer = await askPrompts('/api/v1/prompts', post(large));
  expect([401, 413, 422]).toContain(answer.status);
  expect((await api.call<Prompt[]>(200, '/prompts')).body).toHaveLength(1);
});

test('texts come back exactly as they went in', async () => {
  const api = await newCaller();
  const template = '日本語 🔥 {name}\n\t"quotes" \\n <script> \u2028 {"a": {"b": 1}} ';
  const { id } = await api.create({ ...WELCOME, template, name: '  Ünïcode 🔥 ' });
  const { body } = await api.call<Prompt>(200, `/prompts/${String(id)}`);
  expect(body.current_version.template).toBe(template);
  expect(body.current_version.content_hash).toBe(sha256(template));
  expect(body.name).toBe('Ünïcode 🔥');
});

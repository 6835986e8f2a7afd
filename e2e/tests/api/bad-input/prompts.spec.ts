/** Every route of the prompt API, fed with what no client should send. */
import { expect, test } from '@playwright/test';
import { newAccount } from '../../../harness/accounts.ts';
import {
  BAD_IDS,
  NASTY_TEXTS,
  NOT_JSON,
  NO_OBJECT,
  TOO_LARGE,
  expectWell,
  promptProblem,
  wrongTypes,
} from '../../../harness/bad-input.ts';
import { askPrompts, type Ask } from '../../../harness/http.ts';
import { PromptCaller, type Prompt } from '../../../harness/prompts.ts';

const PROMPT = {
  name: 'Kept',
  key: 'kept',
  description: 'x',
  template: 'Hello {name}',
  tags: ['a'],
};

interface Route {
  method: string;
  path: (id: string) => string;
  body?: Record<string, unknown>;
}

const fixed = (path: string) => () => path;

const WITH_BODY: readonly Route[] = [
  { method: 'POST', path: fixed('/prompts'), body: { ...PROMPT, key: 'Not A Key', repo: 'a/b' } },
  {
    method: 'PATCH',
    path: (id) => `/prompts/${id}`,
    body: { name: '', description: 'x', tags: [], template: 'x' },
  },
  {
    method: 'POST',
    path: (id) => `/prompts/${id}/versions`,
    body: { template: PROMPT.template, metadata: {} },
  },
  { method: 'POST', path: (id) => `/prompts/${id}/rollback`, body: { version: 99 } },
  {
    method: 'POST',
    path: fixed('/prompts/compile/kept'),
    body: {
      variables: {},
      version: 1,
      strict: false,
      timezone: 'UTC',
      now: '2026-11-20T08:30:00Z',
    },
  },
  {
    method: 'POST',
    path: fixed('/compile'),
    body: {
      template: 'x',
      variables: {},
      strict: false,
      timezone: 'UTC',
      now: '2026-11-20T08:30:00Z',
    },
  },
];

const BY_ID: readonly Route[] = [
  { method: 'GET', path: (id) => `/prompts/${id}` },
  { method: 'PATCH', path: (id) => `/prompts/${id}`, body: { name: 'x' } },
  { method: 'DELETE', path: (id) => `/prompts/${id}` },
  { method: 'POST', path: (id) => `/prompts/${id}/archive`, body: {} },
  { method: 'POST', path: (id) => `/prompts/${id}/unarchive`, body: {} },
  { method: 'GET', path: (id) => `/prompts/${id}/versions` },
  { method: 'POST', path: (id) => `/prompts/${id}/versions`, body: { template: 'x' } },
  { method: 'POST', path: (id) => `/prompts/${id}/rollback`, body: { version: 1 } },
];

test.describe('bad input to the prompt API', () => {
  let token: string;
  let caller: PromptCaller;
  let kept: Prompt;

  test.beforeEach(async () => {
    const { session } = await newAccount('sweep');
    token = session.access_token;
    caller = new PromptCaller(token);
    kept = await caller.create(PROMPT);
  });

  test.afterEach(async () => {
    const { body, headers } = await caller.call<Prompt[]>(200, '/prompts?archived=all');
    expect(body).toEqual([kept]);
    expect(headers.get('x-total-count')).toBe('1');
    await expectWell();
  });

  const send = (path: string, options: Ask = {}) =>
    askPrompts(`/api/v1${path}`, { token, ...options });

  test('what is not JSON is 400', async () => {
    for (const { method, path } of WITH_BODY) {
      for (const { name, body } of [...NOT_JSON, ...NO_OBJECT]) {
        const answer = await send(path(String(kept.id)), { method, body });
        const what = `${method} ${path('id')} with ${name}`;
        expect.soft(promptProblem(answer), what).toBeUndefined();
        expect.soft(answer.status, what).toBe(400);
      }
    }
  });

  test('values of the wrong kind are refused', async () => {
    for (const { method, path, body = {} } of WITH_BODY) {
      // null counts as absent, and what is left of the body would be a change like any other.
      for (const bad of wrongTypes(body).filter(({ name }) => !name.endsWith(': null'))) {
        const answer = await send(path(String(kept.id)), { method, body: bad.body });
        const what = `${method} ${path('id')} with ${bad.name}`;
        expect.soft(promptProblem(answer), what).toBeUndefined();
        // Compiling keeps nothing; everything else must be refused.
        if (!path('').includes('compile')) {
          expect.soft([400, 404, 409, 413, 422], what).toContain(answer.status);
        }
      }
    }
  });

  test('nasty texts are refused or kept as they are', async () => {
    for (const [index, text] of NASTY_TEXTS.entries()) {
      const key = `nasty-${String(index)}`;
      const answer = await send('/prompts', {
        method: 'POST',
        body: { name: text, key, template: text, description: text, tags: [text] },
      });
      const what = JSON.stringify(text).slice(0, 40);
      expect.soft(promptProblem(answer), what).toBeUndefined();
      if (answer.status !== 201) {
        expect.soft([400, 413, 422], what).toContain(answer.status);
        continue;
      }
      const { id, current_version } = answer.json as Prompt;
      expect.soft(current_version.template).toBe(text.replaceAll('\r\n', '\n'));
      await caller.call(204, `/prompts/${String(id)}`, { method: 'DELETE' });
    }
    for (const text of NASTY_TEXTS) {
      const answer = await send('/compile', {
        method: 'POST',
        body: { template: '{a}', variables: { a: text, [text]: 'x' } },
      });
      expect.soft(promptProblem(answer), JSON.stringify(text).slice(0, 40)).toBeUndefined();
    }
  });

  test('bodies beyond the limit are 413', async () => {
    for (const { method, path } of WITH_BODY) {
      const answer = await send(path(String(kept.id)), { method, body: TOO_LARGE });
      expect.soft(promptProblem(answer), path('id')).toBeUndefined();
      expect.soft([413, 422], path('id')).toContain(answer.status);
    }
    const blowUp = await send('/compile', {
      method: 'POST',
      body: { template: '{a}'.repeat(80_000), variables: { a: 'x'.repeat(200_000) } },
    });
    expect(blowUp.status).toBe(422);
    const hostile = await send('/compile', {
      method: 'POST',
      body: { template: '{'.repeat(250_000), variables: {} },
    });
    expect(hostile.status).toBe(200);
  });

  test('ids that are none are 404 or 400', async () => {
    for (const id of BAD_IDS) {
      for (const { method, path, body } of BY_ID) {
        const answer = await send(path(id), { method, ...(body === undefined ? {} : { body }) });
        const what = `${method} ${path(id).slice(0, 80)}`;
        expect.soft(promptProblem(answer), what).toBeUndefined();
        expect.soft([400, 404, 405], what).toContain(answer.status);
      }
      for (const path of [
        `/prompts/${String(kept.id)}/versions/${id}`,
        `/prompts/by-key/${id}`,
        `/prompts/by-key/kept?version=${id === '%00' ? id : encodeURIComponent(id)}x`,
        `/prompts/by-key/kept?repo=${encodeURIComponent(id)}`,
      ]) {
        const answer = await send(path);
        expect.soft(promptProblem(answer), path.slice(0, 80)).toBeUndefined();
        expect.soft([400, 404, 422], path.slice(0, 80)).toContain(answer.status);
      }
    }
    for (const version of [0, -1, 2, 1.5, 1e20, '1']) {
      const options = { method: 'POST', body: { version } };
      const answer = await send(`/prompts/${String(kept.id)}/rollback`, options);
      expect.soft(promptProblem(answer), String(version)).toBeUndefined();
      expect.soft([400, 404, 422], String(version)).toContain(answer.status);
    }
  });

  test('queries that make no sense are refused or find nothing', async () => {
    for (const query of [
      'limit=x',
      'limit=-1',
      'limit=99999999999999999999',
      'skip=-1',
      'skip=x',
      'archived=maybe',
      'repo=x',
      'repo=/',
      'repo=a/b/c',
      'repo=%00/x',
      'q=%00',
      'q=%ff',
      `q=${'x'.repeat(5000)}`,
      'tag=%00',
      Array.from({ length: 500 }, () => 'tag=a').join('&'),
    ]) {
      const answer = await send(`/prompts?${query}`);
      const what = query.slice(0, 40);
      expect.soft(promptProblem(answer), what).toBeUndefined();
      expect.soft([200, 400, 404, 422], what).toContain(answer.status);
    }
    for (const query of ['limit=x', 'limit=-1', 'skip=x', 'archived=maybe']) {
      expect.soft((await send(`/prompts?${query}`)).status, query).toBe(400);
    }
  });

  test('headers that make no sense change nothing', async () => {
    const path = `/prompts/${String(kept.id)}`;
    for (const etag of ['', '"', 'nonsense', '"x"', 'W/"x"', '"x', '""'.repeat(500)]) {
      const read = await send(path, { headers: { 'if-none-match': etag } });
      expect.soft(read.status, etag.slice(0, 20)).toBe(200);
      if (etag === '') continue;
      const saved = await send(path, {
        method: 'PATCH',
        headers: { 'if-match': etag },
        body: { name: 'Changed' },
      });
      expect.soft([400, 412], etag.slice(0, 20)).toContain(saved.status);
    }
  });

  test('unknown routes and methods have the same shape', async () => {
    for (const path of [
      '/api/v1',
      '/api/v1/nothing',
      '/api/nothing',
      '/api',
      '/api/v1/prompts/1/nothing',
    ]) {
      const answer = await askPrompts(path, { token });
      expect.soft(promptProblem(answer), path).toBeUndefined();
      expect.soft(answer.status, path).toBe(404);
    }
    for (const [method, path] of [
      ['PUT', '/prompts'],
      ['DELETE', '/prompts'],
      ['POST', `/prompts/${String(kept.id)}`],
      ['GET', `/prompts/${String(kept.id)}/archive`],
      ['GET', '/compile'],
    ] as const) {
      const answer = await send(path, { method, ...(method === 'GET' ? {} : { body: {} }) });
      expect.soft(promptProblem(answer), `${method} ${path}`).toBeUndefined();
      expect.soft([404, 405], `${method} ${path}`).toContain(answer.status);
    }
  });

  test('a refusal never shows what is behind', async () => {
    const answers = [
      await send('/prompts/by-key/%00'),
      await send('/prompts?q=%00'),
      await send('/prompts', { method: 'POST', body: '{' }),
      await send('/prompts', { method: 'POST', body: { ...PROMPT, name: '\0' } }),
    ];
    for (const { text } of answers) {
      expect(text).not.toMatch(
        /postgres|sqlstate|relation|syntax error at|\.rs\b|select |\/work\//i,
      );
    }
  });
});

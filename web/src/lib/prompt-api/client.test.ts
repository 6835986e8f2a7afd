import { HttpResponse, http } from 'msw';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { server } from '@/testing/server';
import { PromptApi } from './client';
import { ApiError, ConnectionError, NotFoundError, friendlyMessage, statusOf } from './errors';

const BASE = 'https://api.test';
const onUnauthorized = jest.fn();
let token: string | null = 'token';
const api = new PromptApi({
  baseUrl: BASE,
  accessToken: () => Promise.resolve(token),
  onUnauthorized,
});

const problem = (code: string, message: string) => ({ error: { code, message } });

beforeEach(() => {
  token = 'token';
  onUnauthorized.mockClear();
});

interface Sent {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
}

/** Answers every call with `body` and records what was sent. */
function answer(body: unknown, init: ResponseInit = {}): Sent[] {
  const sent: Sent[] = [];
  server.use(
    http.all(`${BASE}/*`, async ({ request }) => {
      const text = await request.text();
      sent.push({
        method: request.method,
        url: request.url.slice(BASE.length),
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      });
      if (init.status === 204) return new HttpResponse(null, init);
      return typeof body === 'string'
        ? new HttpResponse(body, init)
        : HttpResponse.json(body as Record<string, unknown>, init);
    }),
  );
  return sent;
}

describe('what is sent', () => {
  const prompt = makePrompt();
  const draft = { name: 'A', key: 'a', description: 'd', template: 't', tags: ['x'] };

  test.each<[string, unknown, () => Promise<unknown>, string, object?]>([
    ['health', { status: 'ok' }, () => api.health(), 'GET /health'],
    ['all prompts', [prompt], () => api.listPrompts(), 'GET /api/v1/prompts'],
    [
      'a search',
      [prompt],
      () => api.listPrompts({ q: 'a b', tag: ['x', 'y'], limit: 6, skip: 2, archived: 'all' }),
      'GET /api/v1/prompts?q=a+b&tag=x&tag=y&limit=6&skip=2&archived=all',
    ],
    ['one prompt', prompt, () => api.getPrompt(7), 'GET /api/v1/prompts/7'],
    ['by key', prompt, () => api.getPromptByKey('a-b'), 'GET /api/v1/prompts/by-key/a-b'],
    ['create', prompt, () => api.createPrompt(draft), 'POST /api/v1/prompts', draft],
    [
      'update',
      prompt,
      () => api.updatePrompt(7, { tags: [] }),
      'PATCH /api/v1/prompts/7',
      { tags: [] },
    ],
    ['archive', prompt, () => api.archivePrompt(7), 'POST /api/v1/prompts/7/archive'],
    ['unarchive', prompt, () => api.unarchivePrompt(7), 'POST /api/v1/prompts/7/unarchive'],
    ['versions', [makeVersion()], () => api.listVersions(7), 'GET /api/v1/prompts/7/versions'],
    [
      'a new version',
      makeVersion(),
      () => api.createVersion(7, { template: 't', description: 'why' }),
      'POST /api/v1/prompts/7/versions',
      { template: 't', metadata: { description: 'why' } },
    ],
    [
      'a new version without a word',
      makeVersion(),
      () => api.createVersion(7, { template: 't' }),
      'POST /api/v1/prompts/7/versions',
      { template: 't' },
    ],
    [
      'rollback',
      prompt,
      () => api.rollback(7, 3),
      'POST /api/v1/prompts/7/rollback',
      { version: 3 },
    ],
    [
      'compile by key',
      { compiled_template: '' },
      () => api.compilePrompt('a', { x: '1' }),
      'POST /api/v1/prompts/compile/a',
      { variables: { x: '1' } },
    ],
    [
      'compile a text',
      { compiled_template: '' },
      () => api.compileTemplate('{x}', { x: '1' }),
      'POST /api/v1/compile',
      { template: '{x}', variables: { x: '1' } },
    ],
    ['statistics', {}, () => api.stats(), 'GET /api/v1/stats/overview'],
    ['organizations', [], () => api.organizations(), 'GET /api/v1/organizations'],
  ])('%s', async (...[, body, call, request, payload]) => {
    const sent = answer(body);
    await call();
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([request]);
    expect(sent[0]?.body).toEqual(payload);
    expect(sent[0]?.headers.get('Authorization')).toBe('Bearer token');
  });

  test('delete expects no body', async () => {
    const sent = answer(undefined, { status: 204 });
    await api.deletePrompt(7);
    expect(sent[0]).toMatchObject({ method: 'DELETE', url: '/api/v1/prompts/7' });
  });

  test('nothing is authorized while nobody is signed in', async () => {
    token = null;
    const sent = answer([]);
    await api.listPrompts();
    expect(sent[0]?.headers.has('Authorization')).toBe(false);
  });

  test('a save goes against the entity tag it was loaded with', async () => {
    const sent = answer(makePrompt(), { headers: { ETag: '"abc"' } });
    const { etag } = await api.getPrompt(7);
    await api.updatePrompt(7, { name: 'B' }, etag);
    expect(sent[1]?.headers.get('If-Match')).toBe('"abc"');
  });
});

describe('what is read', () => {
  test.each([
    ['a bare list', [makePrompt()]],
    ['a list under prompts', { prompts: [makePrompt()] }],
  ])('%s', async (_name, body) => {
    answer(body, { headers: { 'X-Total-Count': '41' } });
    expect(await api.listPrompts()).toMatchObject({ prompts: [{ id: 1 }], total: 41 });
  });

  /** Answers with one id each and names the rest while there is one. */
  function answerInPages(ids: readonly number[]): string[] {
    const asked: string[] = [];
    server.use(
      http.get(`${BASE}/*`, ({ request }) => {
        const { pathname, search, searchParams } = new URL(request.url);
        asked.push(pathname + search);
        const skip = Number(searchParams.get('skip') ?? 0);
        const headers = new Headers({ 'X-Total-Count': String(ids.length) });
        if (skip + 1 < ids.length) {
          headers.set('Link', `<${pathname}?skip=${String(skip + 1)}>; rel="next"`);
        }
        const page = ids.slice(skip, skip + 1).map((id) => makePrompt({ id }));
        return HttpResponse.json(page, { headers });
      }),
    );
    return asked;
  }

  test('a list is read to its end, each item once', async () => {
    const asked = answerInPages([3, 2, 2, 1]);
    const { prompts, total } = await api.listPrompts();
    expect(prompts.map(({ id }) => id)).toEqual([3, 2, 1]);
    expect(total).toBe(4);
    expect(asked[0]).toBe('/api/v1/prompts');
    expect(asked[3]).toBe('/api/v1/prompts?skip=3');
  });

  test('no more is asked for than a limit says', async () => {
    const asked = answerInPages([3, 2, 1]);
    expect((await api.listPrompts({ limit: 2 })).prompts).toHaveLength(2);
    expect(asked).toHaveLength(2);
  });

  test('the length stands in for a total the server does not send', async () => {
    answer([makePrompt()]);
    expect((await api.listPrompts()).total).toBe(1);
  });

  test.each([[{ unexpected: true }], [[{ id: 'not a number' }]], [null]])(
    'a list of an unexpected shape is empty: %j',
    async (body) => {
      const warn = jest.spyOn(console, 'warn').mockImplementation();
      answer(body as Record<string, unknown>);
      expect(await api.listPrompts()).toEqual({ prompts: [], total: 0 });
      expect(warn).toHaveBeenCalledTimes(1);
    },
  );

  test('versions may be wrapped and come newest first', async () => {
    answer({ versions: [makeVersion({ version: 1 }), makeVersion({ version: 2 })] });
    expect((await api.listVersions(1)).map(({ version }) => version)).toEqual([2, 1]);
  });

  test('one item may be wrapped under prompt or version', async () => {
    answer({ prompt: makePrompt({ id: 5 }), version: makeVersion({ version: 9 }) });
    expect(await api.getPrompt(5)).toMatchObject({ id: 5 });
    expect(await api.createVersion(5, { template: 't' })).toMatchObject({ version: 9 });
  });

  test('fields an older server leaves out have neutral values', async () => {
    answer({ id: 1, key: 'a', name: 'A' });
    expect(await api.getPrompt(1)).toMatchObject({
      description: null,
      tags: [],
      is_archived: false,
      current_version: null,
    });
  });

  test('a server that is down still answers the health question', async () => {
    answer({ status: 'down', components: [] }, { status: 503 });
    expect(await api.health()).toMatchObject({ status: 'down' });
  });
});

describe('what goes wrong', () => {
  const message = (call: Promise<unknown>) => call.then(String, (error: Error) => error.message);

  test('an unsuccessful answer keeps its status and text', async () => {
    answer('out of order', { status: 500, headers: { 'X-Request-Id': 'req-1' } });
    const error: unknown = await api.listPrompts().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      message: 'API request failed: 500 out of order',
      requestId: 'req-1',
    });
  });

  test('an unreachable server is named with the path', async () => {
    server.use(http.get(`${BASE}/api/v1/prompts`, () => HttpResponse.error()));
    const error: unknown = await api.listPrompts().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toMatch(/^API request failed for \/api\/v1\/prompts: ./);
  });

  test('an answer that is no JSON counts as a failed request', async () => {
    answer('<html>');
    expect(await message(api.listPrompts())).toMatch(
      /^API request failed for \/api\/v1\/prompts: /,
    );
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ['getPrompt', () => api.getPrompt(7), 'No prompt found with id 7'],
    ['getPromptByKey', () => api.getPromptByKey('a'), 'No prompt found with key a'],
    [
      'createPrompt',
      () => api.createPrompt({ name: '', key: '', description: '', template: '', tags: [] }),
      'Failed to create prompt',
    ],
    ['updatePrompt', () => api.updatePrompt(7, {}), 'Failed to update prompt 7'],
    ['archivePrompt', () => api.archivePrompt(7), 'Failed to archive prompt 7'],
    ['unarchivePrompt', () => api.unarchivePrompt(7), 'Failed to unarchive prompt 7'],
    [
      'createVersion',
      () => api.createVersion(7, { template: '' }),
      'Failed to create version for prompt 7',
    ],
    ['rollback', () => api.rollback(7, 1), 'Failed to rollback prompt 7'],
    ['compilePrompt', () => api.compilePrompt('a', {}), 'Failed to compile template'],
  ])('%s says when its answer is missing', async (_name, call, expected) => {
    answer({});
    expect(await message(call())).toBe(expected);
  });

  test('a prompt that is not there has one text, however the server says it', async () => {
    answer(problem('not_found', 'Prompt not found'), { status: 404 });
    const error: unknown = await api.getPrompt(7).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NotFoundError);
    expect((error as Error).message).toBe('No prompt found with id 7');
    expect(statusOf(error)).toBe(404);
  });

  test('a refused token ends the session, an anonymous refusal does not', async () => {
    answer(problem('unauthorized', 'Sign in first'), { status: 401 });
    await api.listPrompts().catch(() => undefined);
    expect(onUnauthorized).toHaveBeenCalledTimes(1);
    token = null;
    await api.listPrompts().catch(() => undefined);
    expect(onUnauthorized).toHaveBeenCalledTimes(1);
  });

  test('an aborted call stays an abort', async () => {
    answer([]);
    const controller = new AbortController();
    const call = api.listPrompts({}, controller.signal);
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('what people read', () => {
  const body = JSON.stringify(problem('conflict', 'That key is taken.'));

  test.each([
    [new ApiError(409, body), 'That key is taken.'],
    [new ApiError(413, ''), 'That is larger than the server accepts.'],
    [new ApiError(500, ''), 'fallback'],
    [
      new ConnectionError('/x', new TypeError('Failed to fetch')),
      'The server cannot be reached. Check your connection and try again.',
    ],
    [new Error('Own words'), 'Own words'],
    [new Error(''), 'fallback'],
    ['no error at all', 'fallback'],
  ])('case %#', (error, expected) => {
    expect(friendlyMessage(error, 'fallback')).toBe(expected);
  });
});

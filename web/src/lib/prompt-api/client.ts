/** The prompt API over HTTP: one method per call, typed answers, one kind of error text. */
import { ApiError, ConnectionError, NotFoundError } from './errors';
import {
  parseCompiled,
  parseHealth,
  parseOrganizations,
  parsePrompt,
  parsePrompts,
  parseStats,
  parseVersion,
  parseVersions,
  type CompiledPrompt,
  type Health,
  type Organization,
  type Prompt,
  type PromptVersion,
  type StatsOverview,
} from './schemas';

export interface PromptApiConfig {
  /** Origin of the API, without a trailing slash. */
  baseUrl: string;
  /** The session's access token; null when nobody is signed in. */
  accessToken: () => Promise<string | null | undefined>;
  /** Called when the server refuses a token that was sent. */
  onUnauthorized?: () => void;
}

export interface ListParams {
  q?: string;
  tag?: readonly string[];
  limit?: number;
  skip?: number;
  archived?: 'true' | 'false' | 'all';
  repo?: string;
}

/** A page of prompts and how many there are altogether. */
export interface PromptPage {
  prompts: Prompt[];
  total: number;
}

/** A prompt and the entity tag to save it against. */
export interface LoadedPrompt extends Prompt {
  etag: string | undefined;
}

export interface NewPrompt {
  name: string;
  key: string;
  description: string;
  template: string;
  tags: readonly string[];
  /** `owner/slug`; the caller's default repository without. */
  repo?: string;
}

export type PromptChanges = Partial<Pick<Prompt, 'name' | 'description' | 'tags'>>;

export interface NewVersion {
  template: string;
  description?: string;
}

export type Values = Readonly<Record<string, unknown>>;

interface RequestOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  ifMatch?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface Answer {
  body: unknown;
  headers: Headers;
}

function listQuery({ q, tag = [], limit, skip, archived, repo }: ListParams): string {
  const query = new URLSearchParams();
  if (q !== undefined && q !== '') query.set('q', q);
  for (const one of tag) query.append('tag', one);
  if (limit !== undefined) query.set('limit', String(limit));
  if (skip !== undefined) query.set('skip', String(skip));
  if (archived !== undefined) query.set('archived', archived);
  if (repo !== undefined) query.set('repo', repo);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** Most items a list without a limit of its own is read to. */
const MOST_LISTED = 1000;

/** The address of the rest of a list, which ends where an answer would grow too large. */
function nextOf(headers: Headers): string | undefined {
  return /^<(\/[^>]*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
}

function totalOf(headers: Headers, length: number): number {
  const header = headers.get('X-Total-Count');
  const total = header === null ? Number.NaN : Number(header);
  return Number.isInteger(total) && total >= 0 ? total : length;
}

function present<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new NotFoundError(message);
  return value;
}

function written<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new Error(message);
  return value;
}

async function absentAs<T>(message: string, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      throw new NotFoundError(message, { cause: error });
    }
    throw error;
  }
}

/** The calls of the product; create one per origin. */
export class PromptApi {
  constructor(private readonly config: PromptApiConfig) {}

  health(signal?: AbortSignal): Promise<Health> {
    return this.send('/health', { signal }, [503]).then(({ body }) =>
      written(parseHealth(body), 'The health answer could not be read'),
    );
  }

  stats(signal?: AbortSignal): Promise<StatsOverview> {
    return this.send('/api/v1/stats/overview', { signal }).then(
      ({ body }) => parseStats(body) ?? {},
    );
  }

  organizations(signal?: AbortSignal): Promise<Organization[]> {
    return this.send('/api/v1/organizations', { signal }).then(({ body }) =>
      parseOrganizations(body),
    );
  }

  async listPrompts(params: ListParams = {}, signal?: AbortSignal): Promise<PromptPage> {
    const path = `/api/v1/prompts${listQuery(params)}`;
    const { items, total } = await this.list(path, parsePrompts, params.limit, signal);
    return { prompts: items, total };
  }

  getPrompt(id: number, signal?: AbortSignal): Promise<LoadedPrompt> {
    return this.one(
      `/api/v1/prompts/${String(id)}`,
      `No prompt found with id ${String(id)}`,
      signal,
    );
  }

  getPromptByKey(key: string, signal?: AbortSignal): Promise<LoadedPrompt> {
    const path = `/api/v1/prompts/by-key/${encodeURIComponent(key)}`;
    return this.one(path, `No prompt found with key ${key}`, signal);
  }

  async createPrompt(prompt: NewPrompt): Promise<Prompt> {
    const { body } = await this.send('/api/v1/prompts', { method: 'POST', body: prompt });
    return written(parsePrompt(body), 'Failed to create prompt');
  }

  async updatePrompt(id: number, changes: PromptChanges, ifMatch?: string): Promise<Prompt> {
    const path = `/api/v1/prompts/${String(id)}`;
    const { body } = await this.send(path, { method: 'PATCH', body: changes, ifMatch });
    return written(parsePrompt(body), `Failed to update prompt ${String(id)}`);
  }

  async deletePrompt(id: number): Promise<void> {
    await this.send(`/api/v1/prompts/${String(id)}`, { method: 'DELETE' });
  }

  async archivePrompt(id: number): Promise<Prompt> {
    const { body } = await this.send(`/api/v1/prompts/${String(id)}/archive`, { method: 'POST' });
    return written(parsePrompt(body), `Failed to archive prompt ${String(id)}`);
  }

  async unarchivePrompt(id: number): Promise<Prompt> {
    const { body } = await this.send(`/api/v1/prompts/${String(id)}/unarchive`, { method: 'POST' });
    return written(parsePrompt(body), `Failed to unarchive prompt ${String(id)}`);
  }

  async listVersions(id: number, signal?: AbortSignal): Promise<PromptVersion[]> {
    const path = `/api/v1/prompts/${String(id)}/versions`;
    const { items } = await this.list(path, parseVersions, undefined, signal);
    return items.sort((left, right) => right.version - left.version);
  }

  async createVersion(id: number, version: NewVersion, ifMatch?: string): Promise<PromptVersion> {
    const { template, description = '' } = version;
    const metadata = description === '' ? undefined : { description };
    const { body } = await this.send(`/api/v1/prompts/${String(id)}/versions`, {
      method: 'POST',
      body: { template, metadata },
      ifMatch,
    });
    return written(parseVersion(body), `Failed to create version for prompt ${String(id)}`);
  }

  async rollback(id: number, version: number): Promise<Prompt> {
    const path = `/api/v1/prompts/${String(id)}/rollback`;
    const { body } = await this.send(path, { method: 'POST', body: { version } });
    return written(parsePrompt(body), `Failed to rollback prompt ${String(id)}`);
  }

  async compilePrompt(key: string, variables: Values): Promise<CompiledPrompt> {
    const path = `/api/v1/prompts/compile/${encodeURIComponent(key)}`;
    const { body } = await this.send(path, { method: 'POST', body: { variables } });
    return written(parseCompiled(body), 'Failed to compile template');
  }

  async compileTemplate(template: string, variables: Values): Promise<CompiledPrompt> {
    const body = { template, variables };
    const answer = await this.send('/api/v1/compile', { method: 'POST', body });
    return written(parseCompiled(answer.body), 'Failed to compile template');
  }

  /** Reads a list answer by answer, up to `most` items. */
  private async list<Item extends { id: number }>(
    path: string,
    parse: (body: unknown) => Item[],
    most: number = MOST_LISTED,
    signal?: AbortSignal,
  ): Promise<{ items: Item[]; total: number }> {
    // By id: what changes meanwhile may move from one answer to the next.
    const items = new Map<number, Item>();
    let total = 0;
    let next: string | undefined = path;
    do {
      const { body, headers }: Answer = await this.send(next, { signal });
      for (const item of parse(body)) items.set(item.id, item);
      total = totalOf(headers, items.size);
      next = nextOf(headers);
    } while (next !== undefined && items.size < most);
    return { items: [...items.values()].slice(0, most), total };
  }

  private async one(path: string, absent: string, signal?: AbortSignal): Promise<LoadedPrompt> {
    const { body, headers } = await absentAs(absent, this.send(path, { signal }));
    return { ...present(parsePrompt(body), absent), etag: headers.get('ETag') ?? undefined };
  }

  /** Sends one request; statuses in `accepted` count as success although they are not 2xx. */
  private async send(
    path: string,
    options: RequestOptions = {},
    accepted: readonly number[] = [],
  ): Promise<Answer> {
    const token = (await this.config.accessToken()) ?? null;
    const { response, text } = await this.exchange(path, options, token);
    if (!response.ok && !accepted.includes(response.status)) {
      if (response.status === 401 && token !== null) this.config.onUnauthorized?.();
      const requestId = response.headers.get('X-Request-Id') ?? undefined;
      throw new ApiError(response.status, text, requestId);
    }
    try {
      return { body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
    } catch (cause) {
      throw new ConnectionError(path, cause);
    }
  }

  private async exchange(path: string, options: RequestOptions, token: string | null) {
    const { method = 'GET', body, ifMatch, signal } = options;
    const headers = new Headers({ Accept: 'application/json' });
    if (token !== null) headers.set('Authorization', `Bearer ${token}`);
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (ifMatch !== undefined) headers.set('If-Match', ifMatch);
    try {
      const response = await fetch(`${this.config.baseUrl}${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      });
      return { response, text: await response.text() };
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      throw new ConnectionError(path, cause);
    }
  }
}

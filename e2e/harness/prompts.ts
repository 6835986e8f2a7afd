/** The prompt API, called with plain requests. */
import { expect } from '@playwright/test';
import { askPrompts, type Answer, type Ask } from './http.ts';

export interface Version {
  id: number;
  version: number;
  template: string;
  content_hash: string;
  created_at: string;
  metadata: { description?: string };
}

export interface Prompt {
  id: number;
  key: string;
  name: string;
  description: string | null;
  tags: string[];
  is_archived: boolean;
  current_version: Version;
  created_at: string;
  updated_at: string;
  repository: { id: number; owner: string; slug: string };
  versions_count: number;
}

export interface Compiled {
  key: string | null;
  version: number | null;
  compiled_template: string;
  metadata: { missing: string[]; unused: string[]; content_hash: string };
  system_variables: Record<string, string | number>;
}

/** What a refused request answers. */
export interface Refusal {
  error: { code: string; message: string; details?: { field: string; message: string }[] };
}

/** Calls as one person; each checks the status it is told to expect. */
export class PromptCaller {
  readonly #token: string | undefined;

  constructor(token?: string) {
    this.#token = token;
  }

  async call<Body>(expected: number, path: string, options: Ask = {}): Promise<Reply<Body>> {
    const answer = await askPrompts(`/api/v1${path}`, { token: this.#token, ...options });
    const asked = `${options.method ?? 'GET'} ${path}: ${answer.text.slice(0, 300)}`;
    expect(answer.status, asked).toBe(expected);
    return { ...answer, body: answer.json as Body };
  }

  async create(prompt: object): Promise<Prompt> {
    return (await this.call<Prompt>(201, '/prompts', { method: 'POST', body: prompt })).body;
  }

  async refused(expected: number, path: string, options: Ask = {}): Promise<Refusal['error']> {
    const { body, headers } = await this.call<Refusal>(expected, path, options);
    expect(body.error.message).toEqual(expect.any(String));
    expect(headers.get('x-request-id')).toBeTruthy();
    return body.error;
  }
}

export type Reply<Body> = Answer & { body: Body };

/** Requests as curl would send them. */
import { setTimeout as delay } from 'node:timers/promises';
import { stack } from './stack.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined when it is not JSON. */
  json: unknown;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as it is when it is text or bytes, else as JSON. */
  body?: unknown;
  token?: string | undefined;
}

/**
 * Comes back later when told so for the server's sake: hashing a password takes its turn, and on a
 * busy machine more of them wait than one client may have waiting.
 */
export const patientFetch: typeof fetch = async (input, init) => {
  for (;;) {
    const answer = await fetch(input, init);
    const wait = answer.headers.get('retry-after');
    const reason = answer.headers.get('x-sb-error-code');
    if (wait === null || reason !== 'over_request_rate_limit') return answer;
    await delay(Number(wait) * 1000);
  }
};

export async function ask(url: string, options: Ask = {}): Promise<Answer> {
  const { method = 'GET', body, token } = options;
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await patientFetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A route of the auth service through the gateway, with the public key. */
export const askAuth = (path: string, { headers, ...options }: Ask = {}): Promise<Answer> =>
  ask(`${stack().api}/auth/v1${path}`, {
    ...options,
    headers: { apikey: stack().anonKey, ...headers },
  });

/** A route of the prompt API. */
export const askPrompts = (path: string, options: Ask = {}): Promise<Answer> =>
  ask(`${stack().app}${path}`, options);

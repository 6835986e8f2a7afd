/** Bodies, ids and queries no client should send, and what may never follow from them. */
import { expect } from '@playwright/test';
import type { Answer } from './http.ts';
import { ask } from './http.ts';
import { panics, stack } from './stack.ts';

export interface BadBody {
  name: string;
  body: string | Uint8Array;
}

/** Bodies that are not JSON. */
export const NOT_JSON: readonly BadBody[] = [
  { name: 'a cut object', body: '{"email":"a@b.c"' },
  { name: 'a trailing comma', body: '{"a":1,}' },
  { name: 'single quotes', body: "{'a':1}" },
  { name: 'a word', body: 'undefined' },
  { name: 'NaN', body: '{"a":NaN}' },
  { name: 'two values', body: '{} {}' },
  { name: 'a form', body: 'email=a%40b.c&password=x' },
  { name: 'XML', body: '<a/>' },
  { name: 'deep nesting', body: '['.repeat(10_000) },
  { name: 'a lone NUL', body: '\0' },
  { name: 'invalid UTF-8', body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31]) },
];

/** JSON that is no object. */
export const NO_OBJECT: readonly BadBody[] = [
  { name: 'an array', body: '[]' },
  { name: 'a text', body: '"x"' },
  { name: 'a number', body: '5' },
  { name: 'true', body: 'true' },
];

/** More than any route takes. */
export const TOO_LARGE = JSON.stringify({ data: 'x'.repeat(2 * 1024 * 1024 + 1024) });

type Fields = Readonly<Record<string, unknown>>;

/** Values of the wrong kind, one body per field and value. */
export function wrongTypes(body: Fields, along: Fields = {}): BadBody[] {
  return Object.entries(body).flatMap(([field, good]) =>
    [5, 'x', true, [], {}, [{}], null, -1, 1e300, 'x'.repeat(70_000)]
      .filter(
        (bad) =>
          bad === null || typeof bad !== typeof good || Array.isArray(bad) !== Array.isArray(good),
      )
      .map((bad) => ({
        name: `${field}: ${JSON.stringify(bad).slice(0, 20)}`,
        body: JSON.stringify({ ...along, ...body, [field]: bad }),
      })),
  );
}

/** Texts that databases and parsers stumble over. */
export const NASTY_TEXTS = [
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\u0000',
  "'; drop table auth.users; --",
  '%s%n%x',
  '{{.Token}}',
  '../../etc/passwd',
  'a\r\nBcc: eve@example.com',
  '🔥'.repeat(1000),
] as const;

/** The same body with one text made nasty. */
export function nastyTexts(body: Fields, along: Fields = {}): BadBody[] {
  return Object.entries(body)
    .filter(([, good]) => typeof good === 'string')
    .flatMap(([field]) =>
      NASTY_TEXTS.map((bad) => ({
        name: `${field}: ${JSON.stringify(bad).slice(0, 30)}`,
        body: JSON.stringify({ ...along, ...body, [field]: bad }),
      })),
    );
}

/** Path segments that are no id of anything. */
export const BAD_IDS = [
  'x',
  '0',
  '-1',
  '1.5',
  '1e3',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999999999',
  '%00',
  '%ff',
  '%27%20or%201%3D1',
  '%F0%9F%94%A5',
  'null',
  '1%2F2',
  '00000000-0000-0000-0000-000000000000',
  'x'.repeat(2000),
] as const;

/** The stack is as well as before. */
export async function expectWell(): Promise<void> {
  for (const path of ['/health', '/auth/v1/health']) {
    const { status, text } = await ask(`${stack().app}${path}`);
    expect(status, text).toBe(200);
  }
  expect(panics(stack().log)).toEqual([]);
}

/** A refusal as the auth service words it; `undefined` when the answer is one. */
export function authProblem({ status, json, text, headers }: Answer): string | undefined {
  if (status < 400) return undefined;
  if (status >= 500) return `${String(status)} ${text}`;
  if (status === 405 && text === '' && headers.has('allow')) return undefined;
  if (status === 404 && text === '404 page not found\n') return undefined;
  const body = json as
    { code?: unknown; error_code?: unknown; msg?: unknown; error?: unknown } | undefined;
  if (typeof body?.error === 'string' && status === 400) return undefined;
  const shaped =
    body?.code === status && typeof body.error_code === 'string' && typeof body.msg === 'string';
  return shaped ? undefined : `${String(status)} in another shape: ${text.slice(0, 200)}`;
}

/** A refusal as the prompt API words it; `undefined` when the answer is one. */
export function promptProblem({ status, json, text, headers }: Answer): string | undefined {
  if (status < 400) return undefined;
  if (status >= 500) return `${String(status)} ${text}`;
  if (!headers.has('x-request-id')) return 'no X-Request-Id';
  const body = json as { error?: { code?: unknown; message?: unknown } } | undefined;
  const shaped = typeof body?.error?.code === 'string' && typeof body.error.message === 'string';
  return shaped ? undefined : `${String(status)} in another shape: ${text.slice(0, 200)}`;
}

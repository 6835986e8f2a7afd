/**
 * The playground's state in a link: versioned JSON in base64url. It stands behind `#`, so values
 * never reach a server's log; links that carry it in the query still open.
 */
import * as z from 'zod/mini';
import { VARIABLE_TYPES } from './variable-types';

/** Longest encoded state a link may carry. */
export const SHARE_LIMIT = 16 * 1024;

const sharedSchema = z.object({
  v: z.literal(1),
  template: z.string(),
  prompt: z.nullish(z.string()),
  values: z._default(z.record(z.string(), z.string()), {}),
  types: z._default(z.record(z.string(), z.enum(VARIABLE_TYPES)), {}),
});

export type SharedState = Omit<z.infer<typeof sharedSchema>, 'v'>;

/** The state is too large for a link. */
export class ShareTooLargeError extends Error {
  override name = 'ShareTooLargeError';
}

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(encoded: string): string {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Encodes a state; throws `ShareTooLargeError` beyond the limit. */
export function encodeShare(state: SharedState): string {
  const encoded = toBase64Url(JSON.stringify({ v: 1, ...state }));
  if (encoded.length > SHARE_LIMIT) throw new ShareTooLargeError('Too large for a link');
  return encoded;
}

/** The state a link carries; undefined when it is damaged, too large or of another version. */
export function decodeShare(encoded: string): SharedState | undefined {
  if (encoded.length > SHARE_LIMIT) return undefined;
  try {
    const shared = z.parse(sharedSchema, JSON.parse(fromBase64Url(encoded)));
    const { template, prompt, values, types } = shared;
    return { template, prompt, values, types };
  } catch {
    return undefined;
  }
}

/** The encoded state of an address: behind `#` in new links, in the query in old ones. */
export function sharedPart(location: { hash: string; search: string }): string | undefined {
  const fromHash = new URLSearchParams(location.hash.replace(/^#/, '')).get('shared');
  return fromHash ?? new URLSearchParams(location.search).get('shared') ?? undefined;
}

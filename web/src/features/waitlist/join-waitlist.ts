/**
 * Puts an address on the waitlist. Being on it already is a success as well. The answers are read
 * by hand: the prompt API's client and its validator weigh more than this whole page.
 */
import { env } from '@/config/env';

/** Shown when neither the server nor the network says anything better. */
export const FALLBACK_MESSAGE = 'Something went wrong. Please try again.';

/** Throws an error whose message can be shown. */
export async function joinWaitlist(email: string): Promise<void> {
  const response = await fetch(`${env.apiUrl}/api/waitlist/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  }).catch((cause: unknown) => {
    const message = 'The server cannot be reached. Check your connection and try again.';
    throw new Error(message, { cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(text(field(body, 'error'), 'message') ?? FALLBACK_MESSAGE);
  if (field(body, 'success') !== true) throw new Error(text(body, 'message') ?? FALLBACK_MESSAGE);
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value as unknown;
}

function text(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

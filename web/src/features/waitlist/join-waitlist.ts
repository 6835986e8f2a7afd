/** Puts an address on the waitlist. Being on it already is a success as well. */
import * as z from 'zod/mini';
import { env } from '@/config/env';
import { ApiError, ConnectionError } from '@/lib/prompt-api/errors';

const PATH = '/api/waitlist/';

const Answer = z.object({ success: z.boolean(), message: z.optional(z.string()) });

export async function joinWaitlist(email: string): Promise<void> {
  const { response, text } = await send(email);
  if (!response.ok) throw new ApiError(response.status, text);
  const answer = Answer.parse(JSON.parse(text));
  if (!answer.success) throw new Error(answer.message ?? '');
}

async function send(email: string) {
  try {
    const response = await fetch(`${env.apiUrl}${PATH}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    return { response, text: await response.text() };
  } catch (cause) {
    throw new ConnectionError(PATH, cause);
  }
}

/**
 * The waitlist takes five addresses a minute from one sender. Each test sends from a loopback
 * address of its own, so that they do not use up each other's share.
 */
import { request } from 'node:http';
import { expect, test } from '@playwright/test';
import { newEmail } from '../../harness/accounts.ts';
import { stack } from '../../harness/stack.ts';

interface Joined {
  status: number;
  retryAfter: string | undefined;
  body: unknown;
}

function join(from: string, body: string, path = '/api/waitlist'): Promise<Joined> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${stack().app}${path}`,
      { method: 'POST', localAddress: from, headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          const retryAfter = answer.headers['retry-after'];
          resolve({
            status: answer.statusCode ?? 0,
            retryAfter,
            body: JSON.parse(text) as unknown,
          });
        });
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

test('joining twice looks like joining once', async () => {
  const email = newEmail('waiting');
  const first = await join('127.0.0.11', JSON.stringify({ email: `  ${email.toUpperCase()} ` }));
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ success: true, email });
  const second = await join('127.0.0.11', JSON.stringify({ email }), '/api/waitlist/');
  expect(second).toEqual(first);
});

test('what is no address is refused', async () => {
  const refused = async (body: string) => (await join('127.0.0.12', body)).status;
  expect(await refused('{"email":"nothing"}')).toBe(422);
  expect(await refused('{"email":5}')).toBe(400);
  expect(await refused('{')).toBe(400);
});

test('who sends more than five within a minute has to wait', async () => {
  const send = () => join('127.0.0.13', JSON.stringify({ email: newEmail('waiting') }));
  const answers = [];
  // Every twelve seconds make room for one more, so on a slow machine it is not the sixth.
  do answers.push(await send());
  while (answers.at(-1)?.status === 200 && answers.length < 100);
  const refused = answers.pop();
  expect(answers.length).toBeGreaterThanOrEqual(5);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
});

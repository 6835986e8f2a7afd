/** The stack's mailbox, read over its Mailpit-shaped API. */
import { expect } from '@playwright/test';
import { stack } from './stack.ts';

/** A mail as the mailbox tells it. */
export interface Letter {
  ID: string;
  Subject: string;
  Text: string;
  HTML: string;
}

interface Found {
  messages: { ID: string }[];
}

/** Waits for the next mail to an address and takes it out of the mailbox. */
export async function takeMail(address: string): Promise<Letter> {
  const { mail } = stack();
  const query = encodeURIComponent(`to:${address}`);
  const search = async () => {
    const answer = await fetch(`${mail}/api/v1/search?query=${query}`);
    return ((await answer.json()) as Found).messages;
  };
  await expect.poll(search, { message: `a mail to ${address}` }).not.toHaveLength(0);
  // Newest first: the oldest is the one not read yet.
  const id = (await search()).at(-1)?.ID ?? '';
  const letter = (await (await fetch(`${mail}/api/v1/message/${id}`)).json()) as Letter;
  await fetch(`${mail}/api/v1/messages`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ IDs: [id] }),
  });
  return letter;
}

/** Mails waiting for an address. */
export async function mailCount(address: string): Promise<number> {
  const query = encodeURIComponent(`to:${address}`);
  const answer = await fetch(`${stack().mail}/api/v1/search?query=${query}`);
  return ((await answer.json()) as Found).messages.length;
}

/** The six digits of a mail. */
export function codeOf({ Text, Subject }: Letter): string {
  const code = /(?<![\w-])\d{6}(?![\w-])/.exec(Text)?.[0];
  if (code === undefined) throw new Error(`No code in the mail "${Subject}":\n${Text}`);
  return code;
}

/** The link of a mail that leads back in. */
export function linkOf({ Text, HTML, Subject }: Letter): string {
  const links = [
    ...[...HTML.matchAll(/href="([^"]+)"/g)].map((match) => match[1] ?? ''),
    ...(Text.match(/https?:\/\/[^\s<>"')\]]+/g) ?? []),
  ].map((link) => link.replaceAll('&amp;', '&'));
  const link = links.find((candidate) => candidate.includes('/auth/'));
  if (link === undefined) throw new Error(`No link in the mail "${Subject}":\n${HTML}\n${Text}`);
  return link;
}

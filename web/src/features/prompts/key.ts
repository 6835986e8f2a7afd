/** Rules of a prompt's key and of the fields beside it. The server checks the same ones. */

export const KEY_LIMIT = 64;
export const NAME_LIMIT = 120;
export const DESCRIPTION_LIMIT = 1000;
export const TAG_LIMIT = 32;
export const TAGS_LIMIT = 20;

export const KEY_MESSAGE = 'Only lowercase letters, numbers, and hyphens allowed';
export const REQUIRED_MESSAGE = 'Please fill in all required fields';

/** Taken by a screen of its own. */
const RESERVED = new Set(['new']);

/** A name as a key: lower case, every other run of characters one hyphen, none at the ends. */
export function deriveKey(name: string): string {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '')
    .join('-')
    .slice(0, KEY_LIMIT)
    .replace(/-$/, '');
}

/** A key for a name without any usable character, such as 日本語. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(3));
  return `prompt-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** What is wrong with a key; undefined when nothing is. */
export function keyProblem(key: string): string | undefined {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(key)) return KEY_MESSAGE;
  if (key.length > KEY_LIMIT) return `At most ${String(KEY_LIMIT)} characters`;
  if (RESERVED.has(key)) return `"${key}" is reserved. Choose another key.`;
  return undefined;
}

/** The tags with one more: trimmed, without duplicates and empty ones. */
export function addTag(tags: readonly string[], entered: string): string[] {
  const tag = entered.trim().slice(0, TAG_LIMIT).trim();
  if (tag === '' || tags.includes(tag) || tags.length >= TAGS_LIMIT) return [...tags];
  return [...tags, tag];
}

/** The `next` parameter: where to go after signing in. Only ever a path of this very site. */

const NOWHERE = 'https://nowhere.invalid';

/** The path if it is safe to go there, else undefined. */
export function safeNext(next: string | null | undefined): string | undefined {
  if (!next?.startsWith('/')) return undefined;
  // The URL parser decides, as the browser would: `//host`, `/\host` and control characters
  // inside the slashes all end up on another origin.
  let url: URL;
  try {
    url = new URL(next, NOWHERE);
  } catch {
    return undefined;
  }
  return url.origin === NOWHERE ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

/** Which pages the waitlist gate leaves open while the product is not public yet. */

/** The product's list, and the pages a signed-out visitor needs in order to get in. */
const OPEN_PREFIXES = [
  '/waitlist',
  '/signin',
  '/signup',
  '/auth',
  '/terms',
  '/privacy',
  '/api',
  '/static',
  '/health',
  '/metrics',
  '/docs',
];

/** Matched by whole segments, so that `/apiary` is not taken for `/api`. */
export function isOpenPath(pathname: string): boolean {
  const path = pathname.toLowerCase();
  return path === '/' || OPEN_PREFIXES.some((open) => path === open || path.startsWith(`${open}/`));
}

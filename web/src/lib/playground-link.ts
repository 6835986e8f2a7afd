/**
 * Hands a template to the playground. Short ones travel in the address; longer ones would break
 * servers and proxies, so they wait in this tab's storage.
 */
import { paths } from '@/config/paths';

/** Longest encoded template an address carries. */
export const TEMPLATE_LINK_LIMIT = 8 * 1024;

const HANDOFF_KEY = 'wildfire:playground-template';

/** What the address says when the template waits in storage. */
const HANDOFF = 'handoff';

/** The address that opens the playground with this template. */
export function playgroundHref(template: string): string {
  const href = paths.playground.getHref({ template });
  if (href.length <= TEMPLATE_LINK_LIMIT) return href;
  return `${paths.playground.getHref()}?${HANDOFF}=1`;
}

/** Stores a template that is too long for the address; call before going to `playgroundHref`. */
export function storeHandoff(template: string): void {
  try {
    window.sessionStorage.setItem(HANDOFF_KEY, template);
  } catch {
    // Storage may be full or refused; the playground then opens empty.
  }
}

/** The template an address hands over, from itself or from storage. */
export function readHandoff(search: URLSearchParams): string | undefined {
  const template = search.get('template');
  if (template !== null) return template;
  if (!search.has(HANDOFF)) return undefined;
  return window.sessionStorage.getItem(HANDOFF_KEY) ?? undefined;
}

/** How large a template is and may be. The server counts the same way. */

/** Largest template, KiB of UTF-8. */
export const TEMPLATE_LIMIT_KIB = 256;

/** The share of the limit from which on the size is shown. */
const NEAR = 0.9;

/** What there is to say about a template's size. */
export interface SizeNote {
  /** How much room is left, once there is little. */
  hint?: string;
  /** Why it is too large to be saved. */
  problem?: string;
}

/** Line endings become one character on save. A character is at most three bytes, so most templates
 * need no counting. */
export function sizeNote(template: string): SizeNote {
  if (template.length * 3 <= TEMPLATE_LIMIT_KIB * 1024 * NEAR) {
    return {};
  }
  const { size: bytes } = new Blob([template.replaceAll('\r\n', '\n')]);
  // Rounded up: what is too large never reads as what fits.
  const size = Math.ceil((bytes / 1024) * 10) / 10;
  if (size > TEMPLATE_LIMIT_KIB) {
    return {
      problem: `The template has ${String(size)} KiB, and at most ${String(TEMPLATE_LIMIT_KIB)} KiB can be saved`,
    };
  }
  return size > TEMPLATE_LIMIT_KIB * NEAR
    ? { hint: `${String(size)} of ${String(TEMPLATE_LIMIT_KIB)} KiB` }
    : {};
}

/** How large a template is and may be. The server counts the same way. */

/** Largest template, KiB of UTF-8. */
export const TEMPLATE_LIMIT_KIB = 256;

/** The share of the limit from which on the size is shown. */
const NEAR = 0.9;

/** KiB with one decimal, rounded up: what is too large never reads as what fits. */
function sizeOf(template: string): number {
  // Line endings become one character on save.
  const { size } = new Blob([template.replaceAll('\r\n', '\n')]);
  return Math.ceil((size / 1024) * 10) / 10;
}

/** Says how much room is left once there is little. */
export function sizeHint(template: string): string | undefined {
  const size = sizeOf(template);
  return size > TEMPLATE_LIMIT_KIB * NEAR && size <= TEMPLATE_LIMIT_KIB
    ? `${String(size)} of ${String(TEMPLATE_LIMIT_KIB)} KiB`
    : undefined;
}

/** What is wrong with a template that is too large to be saved; undefined when it is not. */
export function sizeProblem(template: string): string | undefined {
  const size = sizeOf(template);
  return size > TEMPLATE_LIMIT_KIB
    ? `The template has ${String(size)} KiB, and at most ${String(TEMPLATE_LIMIT_KIB)} KiB can be saved`
    : undefined;
}

/** The round button with the first letter, before and after its menu is loaded. */
export const avatarStyles =
  'grid size-9 place-items-center rounded-full border border-accent-line bg-accent-soft text-sm font-semibold text-accent uppercase pointer-coarse:size-11';

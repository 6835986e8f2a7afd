/** Name, slug and line in one place; the default owner in Explore is the slug. */
export const BRAND = {
  name: 'Wildfire',
  slug: 'wildfire',
  line: 'Ship AI like Wildfire',
} as const;

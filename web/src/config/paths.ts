/** Every address of the app. Screens link through `getHref`, routes are declared with `path`. */

const page = <Path extends string>(path: Path) => ({ path, getHref: () => path });

const query = (parameters: Record<string, string | number | undefined>) => {
  const entries = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
};

export const paths = {
  landing: page('/'),
  waitlist: page('/waitlist'),
  signIn: {
    path: '/signin',
    getHref: (options: { next?: string | undefined; error?: string } = {}) =>
      `/signin${query({ error: options.error, next: options.next })}`,
  },
  signUp: {
    path: '/signup',
    getHref: (options: { next?: string | undefined } = {}) =>
      `/signup${query({ next: options.next })}`,
  },
  magic: {
    path: '/auth/magic',
    getHref: (options: { next?: string | undefined } = {}) =>
      `/auth/magic${query({ next: options.next })}`,
  },
  authCallback: page('/auth/callback'),
  authConfirm: page('/auth/confirm'),
  terms: page('/terms'),
  privacy: page('/privacy'),
  docs: page('/docs'),
  dashboard: page('/dashboard'),
  /** Where a new account starts. It moves to the onboarding screen once that exists. */
  newUserStart: page('/dashboard'),
  /** An older name of the prompt list; redirects there. */
  repository: page('/repository'),
  prompts: page('/prompts'),
  promptNew: page('/prompts/new'),
  prompt: { path: '/prompts/:id', getHref: (id: number) => `/prompts/${id}` },
  promptEdit: { path: '/prompts/:id/edit', getHref: (id: number) => `/prompts/${id}/edit` },
  promptVersions: {
    path: '/prompts/:id/versions',
    getHref: (id: number) => `/prompts/${id}/versions`,
  },
  promptVersion: {
    path: '/prompts/:id/versions/:versionId',
    getHref: (id: number, version: string | number) => `/prompts/${id}/versions/${version}`,
  },
  promptCompare: {
    path: '/prompts/:id/compare',
    getHref: (id: number, range: { from?: number; to?: number } = {}) =>
      `/prompts/${id}/compare${query(range)}`,
  },
  playground: {
    path: '/playground',
    getHref: (options: { prompt?: string; template?: string } = {}) =>
      `/playground${query(options)}`,
  },
} as const;

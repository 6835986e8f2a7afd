/**
 * The build-time settings and their rules. Apart from `env.ts` so that tests can feed it values.
 */
import * as z from 'zod/mini';

const flag = z.pipe(
  z.prefault(z.enum(['', '0', '1', 'true', 'false']), ''),
  z.transform((value) => value === '1' || value === 'true'),
);

const address = z.optional(z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }));

const Settings = z.object({
  VITE_SUPABASE_URL: address,
  VITE_API_URL: address,
  VITE_SUPABASE_ANON_KEY: z.optional(z.string()),
  VITE_WAITLIST_GATE: flag,
  VITE_PASSWORD_SIGN_IN: flag,
  PROD: z.prefault(z.boolean(), false),
});

export type Env = {
  /** Where /auth/v1, /rest/v1 and the other hosted services answer, without a trailing slash. */
  supabaseUrl: string;
  /** Where /api and /health answer, without a trailing slash. */
  apiUrl: string;
  /** The public key sent as `apikey`; empty when neither the build nor the server gave one. */
  anonKey: string;
  /** Sends signed-out visitors to the waitlist, except from public pages. */
  waitlistGate: boolean;
  /** Shows the password form on the sign-in page. */
  passwordSignIn: boolean;
  production: boolean;
};

export type EnvContext = {
  /** The page's own origin: in production one server answers for everything. */
  origin: string;
  /** What the server wrote into `<meta name="wildfire:anon-key">`. */
  servedAnonKey: string | undefined;
};

/** Checks all settings and names every bad one at once. */
export function parseEnv(source: Record<string, unknown>, context: EnvContext): Env {
  // An empty variable means the same as an absent one, as shells and compose files write it.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const result = Settings.safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.map(
      (issue) => `${issue.path.join('.')}: ${issue.message}`,
    );
    throw new Error(`Invalid build settings. ${problems.join('; ')}`);
  }
  const settings = result.data;
  const served = settings.PROD;
  return {
    supabaseUrl: trim(
      settings.VITE_SUPABASE_URL ?? (served ? context.origin : 'http://127.0.0.1:54321'),
    ),
    apiUrl: trim(settings.VITE_API_URL ?? (served ? context.origin : 'http://127.0.0.1:8080')),
    anonKey: settings.VITE_SUPABASE_ANON_KEY ?? context.servedAnonKey ?? '',
    waitlistGate: settings.VITE_WAITLIST_GATE,
    passwordSignIn: settings.VITE_PASSWORD_SIGN_IN,
    production: settings.PROD,
  };
}

const trim = (url: string) => url.replace(/\/+$/, '');

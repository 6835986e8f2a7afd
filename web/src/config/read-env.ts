/** Turns the settings of the build, which it has checked, into what the app asks for. */

export type Settings = {
  VITE_SUPABASE_URL?: string;
  VITE_API_URL?: string;
  VITE_SUPABASE_ANON_KEY?: string;
  VITE_WAITLIST_GATE?: string;
  VITE_PASSWORD_SIGN_IN?: string;
  PROD: boolean;
};

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

export type Page = {
  /** The page's own origin: in production one server answers for everything. */
  origin: string;
  /** What the server wrote into `<meta name="wildfire:anon-key">`. */
  servedAnonKey: string;
};

const isOn = (flag: string | undefined) => flag === '1' || flag === 'true';
const trim = (url: string) => url.replace(/\/+$/, '');

export function readEnv(settings: Settings, page: Page): Env {
  const { PROD, VITE_SUPABASE_URL, VITE_API_URL, VITE_SUPABASE_ANON_KEY } = settings;
  // `||` and not `??`: shells and compose files write an absent variable as an empty one.
  const supabaseUrl = VITE_SUPABASE_URL || (PROD ? page.origin : 'http://127.0.0.1:54321');
  const apiUrl = VITE_API_URL || (PROD ? page.origin : 'http://127.0.0.1:8080');
  return {
    supabaseUrl: trim(supabaseUrl),
    apiUrl: trim(apiUrl),
    anonKey: VITE_SUPABASE_ANON_KEY || page.servedAnonKey,
    waitlistGate: isOn(settings.VITE_WAITLIST_GATE),
    passwordSignIn: isOn(settings.VITE_PASSWORD_SIGN_IN),
    production: PROD,
  };
}

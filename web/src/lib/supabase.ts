/**
 * The one client of the hosted backend. Its library is loaded with the first use: the public
 * pages show without it, which saves a visitor 50 KB.
 */
import type { SupabaseClient } from '@supabase/supabase-js';
import { BRAND } from '@/config/brand';
import { env } from '@/config/env';

/** The schema of the platform's tables; `public` is the served project's own. */
const SCHEMA = 'wildfire';

interface Table {
  Row: Record<string, unknown>;
  Insert: Record<string, unknown>;
  Update: Record<string, unknown>;
  Relationships: [];
}

interface Database {
  [SCHEMA]: {
    Tables: Record<string, Table>;
    Views: Record<string, never>;
    Functions: Record<string, never>;
  };
}

/** A client whose `from('organizations')` means the platform's table. */
export type Supabase = SupabaseClient<Database>;

/** Where the browser keeps the session. */
export const SESSION_STORAGE_KEY = `${BRAND.slug}-auth-token`;

let client: Promise<Supabase> | undefined;

/** The client; the same one on every call. */
export function getSupabase(): Promise<Supabase> {
  client ??= createSupabase().catch((error: unknown) => {
    // A failed download must not stick: the next call tries again.
    client = undefined;
    throw error;
  });
  return client;
}

async function createSupabase(): Promise<Supabase> {
  if (!env.anonKey) {
    throw new Error(
      'No public key: the page was served without one. Set VITE_SUPABASE_ANON_KEY or start the app with `wildfire start`.',
    );
  }
  const { createClient } = await import('@supabase/supabase-js');
  return createClient<Database>(env.supabaseUrl, env.anonKey, {
    db: { schema: SCHEMA },
    auth: {
      flowType: 'pkce',
      // The callback screen exchanges the code itself, exactly once.
      detectSessionInUrl: false,
      persistSession: true,
      autoRefreshToken: true,
      storageKey: SESSION_STORAGE_KEY,
    },
  });
}

/** Whether this browser holds a session, judged without loading the client. */
export function hasStoredSession(): boolean {
  try {
    return window.localStorage.getItem(SESSION_STORAGE_KEY) !== null;
  } catch {
    return false;
  }
}

/** The bearer token for calls to the prompt API; refreshed when it is about to expire. */
export async function getAccessToken(): Promise<string | undefined> {
  if (!hasStoredSession()) return undefined;
  const supabase = await getSupabase();
  const { data } = await supabase.auth.getSession();
  return data.session?.access_token;
}

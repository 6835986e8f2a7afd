/**
 * The one client of the hosted backend. Its library is loaded with the first use: the public
 * pages show without it, which saves a visitor 50 KB.
 */
import type { SupabaseClient } from '@supabase/supabase-js';
import { BRAND } from '@/config/brand';
import { env } from '@/config/env';

/** Where the browser keeps the session. */
export const SESSION_STORAGE_KEY = `${BRAND.slug}-auth-token`;

let client: Promise<SupabaseClient> | undefined;

/** The client; the same one on every call. */
export function getSupabase(): Promise<SupabaseClient> {
  client ??= createSupabase().catch((error: unknown) => {
    // A failed download must not stick: the next call tries again.
    client = undefined;
    throw error;
  });
  return client;
}

async function createSupabase(): Promise<SupabaseClient> {
  if (!env.anonKey) {
    throw new Error(
      'No public key: the page was served without one. Set VITE_SUPABASE_ANON_KEY or start the app with `wildfire start`.',
    );
  }
  const { createClient } = await import('@supabase/supabase-js');
  return createClient(env.supabaseUrl, env.anonKey, {
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

/** The prompt API of this build, called as whoever is signed in. */
import { env } from '@/config/env';
import { getAccessToken, getSupabase } from '@/lib/supabase';
import { PromptApi } from './client';

/**
 * A refused token means the session is over. Ending it here, too, makes the session's watcher show
 * the sign-in page, which leads back to this address.
 */
async function endSession(): Promise<void> {
  const supabase = await getSupabase();
  await supabase.auth.signOut({ scope: 'local' });
}

export const promptApi = new PromptApi({
  baseUrl: env.apiUrl,
  accessToken: getAccessToken,
  onUnauthorized: () => {
    endSession().catch((error: unknown) => {
      console.warn('The session could not be ended', error);
    });
  },
});

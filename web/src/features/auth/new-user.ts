/** Whether an account has only just come into being, and where each kind of user starts. */
import type { User } from '@supabase/supabase-js';
import { paths } from '@/config/paths';

/** The first sign-in is recorded a moment after the account, never at the same millisecond. */
const SAME_MOMENT_MS = 10_000;

export function isNewUser(user: User): boolean {
  const created = Date.parse(user.created_at);
  const signedIn = Date.parse(user.last_sign_in_at ?? user.created_at);
  return Math.abs(signedIn - created) <= SAME_MOMENT_MS || user.user_metadata['onboarded'] !== true;
}

/** The page someone came for wins; new accounts otherwise start where they are shown around. */
export function startPath(user: User, next: string | undefined): string {
  if (next) return next;
  return isNewUser(user) ? paths.newUserStart.getHref() : paths.dashboard.getHref();
}

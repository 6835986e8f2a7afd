/**
 * The rules of the build-time settings. The build checks them, so a page never has to: visitors
 * do not download a validator for values that are fixed before they come.
 */
import * as z from 'zod/mini';

const flag = z.optional(
  z.enum(['0', '1', 'true', 'false'], { error: 'must be 1, true, 0 or false' }),
);

const address = z.optional(z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }));

const Settings = z.object({
  VITE_SUPABASE_URL: address,
  VITE_API_URL: address,
  VITE_SUPABASE_ANON_KEY: z.optional(z.string()),
  VITE_WAITLIST_GATE: flag,
  VITE_PASSWORD_SIGN_IN: flag,
});

/** Throws one error that names every bad setting. An empty variable counts as absent. */
export function checkSettings(source: Record<string, string | undefined>): void {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const result = Settings.safeParse(given);
  if (result.success) return;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new Error(`Invalid build settings: ${problems.join('; ')}`);
}

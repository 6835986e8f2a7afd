/** The only place that reads import.meta; everything else imports `env`. */
import { parseEnv } from './env-schema';

export const env = parseEnv(import.meta.env, {
  origin: window.location.origin,
  servedAnonKey:
    document.querySelector<HTMLMetaElement>('meta[name="wildfire:anon-key"]')?.content || undefined,
});

/** The only place that reads import.meta; everything else imports `env`. */
import { readEnv, type Settings } from './read-env';

const served = document.querySelector<HTMLMetaElement>('meta[name="wildfire:anon-key"]');

export const env = readEnv(import.meta.env as unknown as Settings, {
  origin: window.location.origin,
  servedAnonKey: served?.content ?? '',
});

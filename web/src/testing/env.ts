/** Stands in for config/env in Jest, which cannot read import.meta. */
import type { Env } from '@/config/read-env';

export const env: Env = {
  supabaseUrl: 'http://localhost:8080',
  apiUrl: 'http://localhost:8080',
  anonKey: 'test-anon-key',
  waitlistGate: false,
  passwordSignIn: false,
  production: true,
};

/** Which third-party sign-ins the auth service offers. */
import { useEffect, useState } from 'react';
import { env } from '@/config/env';
import type { OAuthProvider } from '@/features/auth/auth-context';

/** What is read of the service's settings; anything else in them is none of our business. */
type Settings = { external?: Partial<Record<OAuthProvider, unknown>> };

export async function fetchEnabledProviders(signal: AbortSignal): Promise<OAuthProvider[]> {
  const response = await fetch(`${env.supabaseUrl}/auth/v1/settings`, {
    headers: { apikey: env.anonKey },
    signal,
  });
  if (!response.ok) return [];
  const { external } = (await response.json()) as Settings;
  const all: OAuthProvider[] = ['google', 'github'];
  return all.filter((provider) => external?.[provider] === true);
}

/** None while unknown: a button that leads nowhere is worse than one that comes late. */
export function useEnabledProviders(): OAuthProvider[] {
  const [providers, setProviders] = useState<OAuthProvider[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    fetchEnabledProviders(abort.signal)
      .then(setProviders)
      .catch((error: unknown) => {
        if (!abort.signal.aborted) console.warn('Sign-in providers are unknown', error);
      });
    return () => abort.abort();
  }, []);
  return providers;
}

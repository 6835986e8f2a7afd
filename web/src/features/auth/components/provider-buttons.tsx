import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useEnabledProviders } from '@/features/auth/api/enabled-providers';
import { type OAuthProvider, useAuth } from '@/features/auth/auth-context';
import { Divider } from './auth-card';
import { GitHubIcon, GoogleIcon } from './provider-icons';

const PROVIDERS = {
  google: { name: 'Google', icon: <GoogleIcon /> },
  github: { name: 'GitHub', icon: <GitHubIcon /> },
} satisfies Record<OAuthProvider, unknown>;

/** Third-party sign-in: only those the service has switched on. */
export function ProviderButtons({ next }: { next: string | undefined }) {
  const { signInWithProvider } = useAuth();
  const providers = useEnabledProviders();
  const [failed, setFailed] = useState<OAuthProvider>();
  if (providers.length === 0) return null;

  const signIn = (provider: OAuthProvider) => {
    setFailed(undefined);
    signInWithProvider(provider, { next }).catch((error: unknown) => {
      console.warn(`Sign-in with ${provider} failed`, error);
      setFailed(provider);
    });
  };

  return (
    <>
      <Divider>or</Divider>
      <div className="grid gap-2">
        {providers.map((provider) => (
          <Button key={provider} size="lg" className="text-sm" onClick={() => signIn(provider)}>
            {PROVIDERS[provider].icon}
            Continue with {PROVIDERS[provider].name}
          </Button>
        ))}
        {failed && (
          <p role="alert" className="text-sm text-danger">
            Failed to sign in with {PROVIDERS[failed].name}
          </p>
        )}
      </div>
    </>
  );
}

import { useEffect, useEffectEvent, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { PageSpinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { type CallbackOutcome, finishSignIn } from '@/features/auth/callback';
import { safeNext } from '@/features/auth/next-path';
import { startPath } from '@/features/auth/new-user';

function destination(outcome: CallbackOutcome, next: string | undefined): string {
  switch (outcome.kind) {
    case 'signed-in':
      return startPath(outcome.user, next);
    case 'existing-session':
      return next ?? paths.dashboard.getHref();
    case 'no-session':
      return paths.signIn.getHref({ next });
    case 'failed':
      return paths.signIn.getHref({ error: outcome.error, next });
  }
}

/** Completes a sign-in that began with an email or at a provider. */
export function AuthCallback() {
  const { connect } = useAuth();
  const navigate = useNavigate();
  // The one-time secret in the address must be spent once, also under StrictMode's double effect.
  const started = useRef(false);

  const finish = useEffectEvent(async () => {
    const url = new URL(window.location.href);
    const next = safeNext(url.searchParams.get('next'));
    const outcome = await connect()
      .then(({ auth }) => finishSignIn(auth, url))
      .catch((error: unknown): CallbackOutcome => {
        console.error('The sign-in could not be completed', error);
        return { kind: 'failed', error: 'auth_failed' };
      });
    await navigate(destination(outcome, next), { replace: true });
  });

  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void finish();
  }, []);

  return <PageSpinner label="Signing you in..." />;
}

import { useState } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import { ErrorNotice } from '@/components/ui/error-notice';
import { BRAND } from '@/config/brand';
import { env } from '@/config/env';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { safeNext } from '@/features/auth/next-path';
import { AuthCard } from './auth-card';
import { CheckEmail } from './check-email';
import { EmailStep } from './email-step';
import { PasswordForm } from './password-form';
import { ProviderButtons } from './provider-buttons';

const CALLBACK_ERRORS = new Map([
  ['invalid_link', 'This link is invalid or has expired. Send yourself a new one.'],
  ['auth_failed', 'The sign-in could not be completed. Try again in this browser.'],
]);

/** Both ways in are the same; signing up only asks for a name as well. */
const MODES = {
  signin: {
    title: `Sign in to ${BRAND.name}`,
    description: 'We email you a link. No password to remember.',
    question: 'New here?',
  },
  signup: {
    title: 'Create your account',
    description: 'We email you a link. It creates your account and signs you in.',
    question: 'Have an account?',
  },
} as const;

const linkStyles = 'font-medium text-accent underline-offset-4 hover:underline';

export function SignIn({ mode }: { mode: keyof typeof MODES }) {
  const { signInWithMagicLink } = useAuth();
  const [search] = useSearchParams();
  const next = safeNext(search.get('next'));
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const callbackError = CALLBACK_ERRORS.get(search.get('error') ?? '');
  const { title, description, question } = MODES[mode];

  const send = async (address: string, name: string) => {
    setEmail(address);
    await signInWithMagicLink(address, { next, name });
    setSent(true);
  };

  const other =
    mode === 'signin' ? (
      <Link to={paths.signUp.getHref({ next })} className={linkStyles}>
        Create an account
      </Link>
    ) : (
      <Link to={paths.signIn.getHref({ next })} className={linkStyles}>
        Sign in
      </Link>
    );

  return (
    <AuthCard title={title} description={description} footer={<Agreement />}>
      {sent ? (
        <CheckEmail email={email} onChangeEmail={() => setSent(false)} />
      ) : (
        <>
          {callbackError && <ErrorNotice message={callbackError} className="mb-5 p-4 text-sm" />}
          <EmailStep
            action={{ label: 'Send magic link', pending: 'Sending...' }}
            failure="Failed to send magic link"
            onSubmit={send}
            withName={mode === 'signup'}
            initialEmail={email}
          />
          <ProviderButtons next={next} />
          {env.passwordSignIn && mode === 'signin' && <PasswordForm />}
          <p className="mt-6 flex flex-wrap justify-between gap-2 text-sm text-muted">
            <span>
              {question} {other}
            </span>
            <Link to={paths.magic.getHref({ next })} className={linkStyles}>
              Use a one-time code
            </Link>
          </p>
        </>
      )}
    </AuthCard>
  );
}

function Agreement() {
  return (
    <p>
      By continuing you agree to the{' '}
      <Link to={paths.terms.getHref()} className="underline underline-offset-4">
        Terms
      </Link>{' '}
      and the{' '}
      <Link to={paths.privacy.getHref()} className="underline underline-offset-4">
        Privacy Policy
      </Link>
      .
    </p>
  );
}

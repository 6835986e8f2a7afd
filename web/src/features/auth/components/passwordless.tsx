import { useState } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { BRAND } from '@/config/brand';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { safeNext } from '@/features/auth/next-path';
import { AuthCard } from './auth-card';
import { CheckEmail } from './check-email';
import { CodeFlow } from './code-flow';
import { EmailStep } from './email-step';

const linkStyles = 'font-medium text-accent underline-offset-4 hover:underline';

/** Both ways in without a password, side by side. */
export function Passwordless() {
  const [search] = useSearchParams();
  const next = safeNext(search.get('next'));
  const footer = (
    <p>
      <Link to={paths.signIn.getHref({ next })} className={linkStyles}>
        Back to sign in
      </Link>
      <span aria-hidden="true"> · </span>
      <Link to={paths.signUp.getHref({ next })} className={linkStyles}>
        Create an account
      </Link>
    </p>
  );
  return (
    <AuthCard
      title="Sign in without a password"
      description={`One email from ${BRAND.name} is all it takes.`}
      footer={footer}
    >
      <Tabs defaultValue="link">
        <TabsList className="grid grid-cols-2" aria-label="Way to sign in">
          <TabsTrigger value="link" className="justify-center">
            Magic Link
          </TabsTrigger>
          <TabsTrigger value="code" className="justify-center">
            One-Time Code
          </TabsTrigger>
        </TabsList>
        <TabsContent value="link" className="pt-6">
          <LinkFlow next={next} />
        </TabsContent>
        <TabsContent value="code" className="pt-6">
          <CodeFlow next={next} />
        </TabsContent>
      </Tabs>
    </AuthCard>
  );
}

function LinkFlow({ next }: { next: string | undefined }) {
  const { signInWithMagicLink } = useAuth();
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);

  if (sent) return <CheckEmail email={email} onChangeEmail={() => setSent(false)} />;
  return (
    <EmailStep
      action={{ label: 'Send magic link', pending: 'Sending...' }}
      failure="Failed to send authentication email"
      initialEmail={email}
      onSubmit={async (address) => {
        setEmail(address);
        await signInWithMagicLink(address, { next });
        setSent(true);
      }}
    />
  );
}

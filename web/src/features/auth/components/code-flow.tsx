import { CircleCheck } from 'lucide-react';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { EmailStep } from './email-step';

export const CODE_LENGTH = 6;

/** How long the success message stays before the page moves on. */
export const REDIRECT_DELAY_MS = 1500;

const onlyDigits = (text: string) => text.replace(/\D/g, '').slice(0, CODE_LENGTH);

/** Sends a code, asks for it, and goes on. */
export function CodeFlow({ next }: { next: string | undefined }) {
  const { sendCode } = useAuth();
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);

  const send = async (address: string) => {
    setEmail(address);
    await sendCode(address, { next });
    setSent(true);
  };

  if (sent) {
    return <CodeForm email={email} next={next} onBack={() => setSent(false)} />;
  }
  return (
    <EmailStep
      action={{ label: 'Send code', pending: 'Sending...' }}
      failure="Failed to send authentication email"
      onSubmit={send}
      initialEmail={email}
    />
  );
}

type CodeFormProps = {
  email: string;
  next: string | undefined;
  onBack: () => void;
};

type CodeState = 'asking' | 'verifying' | 'invalid' | 'verified';

function CodeForm({ email, next, onBack }: CodeFormProps) {
  const { verifyCode } = useAuth();
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const [state, setState] = useState<CodeState>('asking');

  const goOn = useEffectEvent(() => navigate(next ?? paths.dashboard.getHref(), { replace: true }));
  useEffect(() => {
    if (state !== 'verified') return undefined;
    const timer = setTimeout(() => void goOn(), REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [state]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setState('verifying');
    try {
      await verifyCode(email, code);
      setState('verified');
    } catch (error) {
      console.warn('The code was refused', error);
      setState('invalid');
    }
  };

  if (state === 'verified') {
    return (
      <p role="status" className="flex items-center gap-2 font-medium text-success">
        <CircleCheck className="size-5 shrink-0" aria-hidden="true" />
        Successfully authenticated! Redirecting...
      </p>
    );
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <p className="text-sm text-muted">
        We sent a code to <strong className="font-medium text-foreground">{email}</strong>. It
        expires in 15 minutes.
      </p>
      <Field
        label={`${CODE_LENGTH}-digit code`}
        error={state === 'invalid' ? 'Invalid or expired code' : undefined}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern="[0-9]*"
            className="h-12 text-center font-mono text-2xl tracking-[0.4em] max-md:text-2xl pointer-coarse:h-12 pointer-coarse:text-2xl"
            value={code}
            onChange={(event) => setCode(onlyDigits(event.target.value))}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        pending={state === 'verifying'}
        disabled={code.length !== CODE_LENGTH || state === 'verifying'}
      >
        {state === 'verifying' ? 'Verifying...' : 'Verify code'}
      </Button>
      <Button variant="ghost" onClick={onBack}>
        Try a different email
      </Button>
    </form>
  );
}

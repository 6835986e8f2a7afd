import { CircleCheck } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { paths } from '@/config/paths';
import { EMAIL_LIMIT } from '@/lib/limits';
import { FALLBACK_MESSAGE, joinWaitlist } from './join-waitlist';

type State =
  { step: 'idle' } | { step: 'joining' } | { step: 'joined' } | { step: 'failed'; message: string };

/** Asks for an address; afterwards confirms in its place. */
export function WaitlistForm() {
  const [email, setEmail] = useState('');
  const [state, setState] = useState<State>({ step: 'idle' });
  const joining = state.step === 'joining';
  const field = useRef<HTMLInputElement>(null);

  // While it was disabled the field lost the focus.
  useEffect(() => {
    if (state.step === 'failed') field.current?.focus();
  }, [state]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setState({ step: 'joining' });
    try {
      await joinWaitlist(email.trim());
      setState({ step: 'joined' });
    } catch (error) {
      const message = error instanceof Error ? error.message : FALLBACK_MESSAGE;
      setState({ step: 'failed', message });
    }
  };

  if (state.step === 'joined') return <Joined email={email.trim()} />;
  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      <Field label="Work email" error={state.step === 'failed' ? state.message : undefined}>
        {(control) => (
          <Input
            {...control}
            ref={field}
            type="email"
            required
            autoComplete="email"
            maxLength={EMAIL_LIMIT}
            placeholder="you@company.com"
            className="h-12 text-base"
            value={email}
            disabled={joining}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        pending={joining}
        disabled={joining || email.trim() === ''}
      >
        {joining ? 'Joining...' : 'Join Waitlist'}
      </Button>
      <p className="text-xs text-muted">
        No spam, ever. We write once, when your access is ready, and share your address with nobody.
      </p>
    </form>
  );
}

function Joined({ email }: { email: string }) {
  return (
    <div role="status" className="grid justify-items-start gap-3">
      <CircleCheck className="size-8 text-success" aria-hidden="true" />
      <h2 className="text-2xl">You&apos;re in.</h2>
      <p className="text-muted">
        We will write to <strong className="font-medium text-foreground">{email}</strong> as soon as
        your access is ready.
      </p>
      <Button asChild className="mt-2">
        <Link to={paths.landing.getHref()}>Back to Home</Link>
      </Button>
    </div>
  );
}

import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { EMAIL_LIMIT } from '@/lib/limits';

type EmailStepProps = {
  /** What the button does, and says while it does it. */
  action: { label: string; pending: string; icon?: ReactNode };
  /** The line shown when sending fails; the service's own reason follows it. */
  failure: string;
  onSubmit: (email: string, name: string) => Promise<void>;
  /** Asks for a name as well. */
  withName?: boolean;
  initialEmail?: string;
};

/** Asks for an email address and sends something there. */
export function EmailStep({ action, failure, onSubmit, withName, initialEmail }: EmailStepProps) {
  const [email, setEmail] = useState(initialEmail ?? '');
  const [name, setName] = useState('');
  const [pending, setPending] = useState(false);
  const [reason, setReason] = useState<string>();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (pending) return;
    setPending(true);
    setReason(undefined);
    try {
      await onSubmit(email.trim(), name.trim());
    } catch (error) {
      setReason(error instanceof Error ? error.message : String(error));
      setPending(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="grid gap-4">
      {reason !== undefined && (
        <ErrorNotice message={failure} className="p-4 text-sm">
          <p className="-mt-3 text-muted">{reason}</p>
        </ErrorNotice>
      )}
      {withName && (
        <Field
          label={
            <>
              Name <span className="font-normal text-muted">(optional)</span>
            </>
          }
        >
          {(control) => (
            <Input
              {...control}
              autoComplete="name"
              maxLength={120}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label="Email">
        {(control) => (
          <Input
            {...control}
            type="email"
            required
            autoComplete="email"
            maxLength={EMAIL_LIMIT}
            placeholder="you@company.com"
            className="h-11"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        {!pending && action.icon}
        {pending ? action.pending : action.label}
      </Button>
    </form>
  );
}

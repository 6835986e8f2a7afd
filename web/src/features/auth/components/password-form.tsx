import { type FormEvent, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useAuth } from '@/features/auth/auth-context';
import { Divider } from './auth-card';

/** Email and password. Shown only where VITE_PASSWORD_SIGN_IN is set; the page then moves on. */
export function PasswordForm() {
  const { signInWithPassword } = useAuth();
  const [pending, setPending] = useState(false);
  const [reason, setReason] = useState<string>();

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setPending(true);
    setReason(undefined);
    try {
      await signInWithPassword(text(fields, 'email'), text(fields, 'password'));
    } catch (error) {
      setReason(error instanceof Error ? error.message : String(error));
      setPending(false);
    }
  };

  return (
    <>
      <Divider>or with a password</Divider>
      <form onSubmit={(event) => void submit(event)} className="grid gap-4">
        <Field label="Account email">
          {(control) => (
            <Input {...control} name="email" type="email" required autoComplete="username" />
          )}
        </Field>
        <Field label="Password" error={reason}>
          {(control) => (
            <Input
              {...control}
              name="password"
              type="password"
              required
              autoComplete="current-password"
            />
          )}
        </Field>
        <Button type="submit" size="lg" className="text-sm" pending={pending}>
          {pending ? 'Signing in...' : 'Sign in with password'}
        </Button>
      </form>
    </>
  );
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}

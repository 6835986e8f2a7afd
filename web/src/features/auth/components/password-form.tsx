import { type FormEvent, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { useAuth } from '@/features/auth/auth-context';
import { EMAIL_LIMIT } from '@/lib/limits';
import { Divider } from './auth-card';

/** Email and password. Shown only where VITE_PASSWORD_SIGN_IN is set; the page then moves on. */
export function PasswordForm() {
  const { signInWithPassword } = useAuth();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [pending, setPending] = useState(false);
  const [reason, setReason] = useState<string>();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setReason(undefined);
    try {
      await signInWithPassword(email, password);
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
            <Input
              {...control}
              type="email"
              required
              autoComplete="username"
              maxLength={EMAIL_LIMIT}
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label="Password" error={reason}>
          {(control) => (
            <Input
              {...control}
              type="password"
              required
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
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

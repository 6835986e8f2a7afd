import { MailCheck } from 'lucide-react';
import { Button } from '@/components/ui/button';

type CheckEmailProps = { email: string; onChangeEmail: () => void };

/** After the link is on its way. */
export function CheckEmail({ email, onChangeEmail }: CheckEmailProps) {
  return (
    <div role="status" className="grid justify-items-start gap-3">
      <span className="grid size-12 place-items-center rounded-lg bg-accent-soft text-accent">
        <MailCheck className="size-6" aria-hidden="true" />
      </span>
      <h2 className="text-xl">Check your email</h2>
      <p className="text-sm text-muted">
        We sent a sign-in link to <strong className="font-medium text-foreground">{email}</strong>.
        The link expires in 15 minutes.
      </p>
      <Button className="mt-2" onClick={onChangeEmail}>
        Try a different email
      </Button>
    </div>
  );
}

import { SignedOutOnly } from '@/app/guards/signed-out-only';
import { Passwordless } from '@/features/auth/components/passwordless';
import { usePageTitle } from '@/hooks/use-page-title';

export default function PasswordlessScreen() {
  usePageTitle('Passwordless sign-in');
  return (
    <SignedOutOnly onArrivalOnly>
      <Passwordless />
    </SignedOutOnly>
  );
}

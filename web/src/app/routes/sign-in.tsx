import { SignedOutOnly } from '@/app/guards/signed-out-only';
import { SignIn } from '@/features/auth/components/sign-in';
import { usePageTitle } from '@/hooks/use-page-title';

export default function SignInScreen() {
  usePageTitle('Sign in');
  return (
    <SignedOutOnly>
      <SignIn key="signin" mode="signin" />
    </SignedOutOnly>
  );
}

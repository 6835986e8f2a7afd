import { SignedOutOnly } from '@/app/guards/signed-out-only';
import { SignIn } from '@/features/auth/components/sign-in';
import { usePageTitle } from '@/hooks/use-page-title';

export default function SignUpScreen() {
  usePageTitle('Create account');
  return (
    <SignedOutOnly>
      <SignIn key="signup" mode="signup" />
    </SignedOutOnly>
  );
}

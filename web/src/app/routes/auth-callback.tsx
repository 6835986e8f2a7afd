import { AuthCallback } from '@/features/auth/components/auth-callback';
import { usePageTitle } from '@/hooks/use-page-title';

export default function AuthCallbackScreen() {
  usePageTitle('Signing in');
  return <AuthCallback />;
}

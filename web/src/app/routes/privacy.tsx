import { Privacy } from '@/features/legal/privacy';
import { usePageTitle } from '@/hooks/use-page-title';

export default function PrivacyScreen() {
  usePageTitle('Privacy');
  return <Privacy />;
}

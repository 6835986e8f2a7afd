import { Terms } from '@/features/legal/terms';
import { usePageTitle } from '@/hooks/use-page-title';

export default function TermsScreen() {
  usePageTitle('Terms');
  return <Terms />;
}

import { Waitlist } from '@/features/waitlist/waitlist';
import { usePageTitle } from '@/hooks/use-page-title';

export default function WaitlistScreen() {
  usePageTitle('Waitlist');
  return <Waitlist />;
}

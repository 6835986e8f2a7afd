import { Landing } from '@/features/landing/landing';
import { usePageTitle } from '@/hooks/use-page-title';

export default function LandingScreen() {
  usePageTitle();
  return <Landing />;
}

import { useRevalidator } from 'react-router-dom';
import { CrashScreen } from '@/components/crash-screen';

/** A screen crashed; the navigation around it still works. Revalidating clears the error. */
export function RouteCrash() {
  const { revalidate } = useRevalidator();
  return <CrashScreen onRetry={() => void revalidate()} />;
}

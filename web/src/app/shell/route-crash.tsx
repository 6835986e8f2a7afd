import { useLocation, useNavigate } from 'react-router-dom';
import { CrashScreen } from '@/components/crash-screen';

/** A screen crashed; the navigation around it still works. */
export function RouteCrash() {
  const navigate = useNavigate();
  const location = useLocation();
  // The router renders a route again once the location changes, be it to the same address.
  const retry = () => void navigate(location, { replace: true, state: location.state as unknown });
  return <CrashScreen onRetry={retry} />;
}

import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router-dom';
import { env } from '@/config/env';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { isOpenPath } from './open-paths';

/** With VITE_WAITLIST_GATE set, sends signed-out visitors to the waitlist. */
export function WaitlistGate({ children }: { children: ReactNode }) {
  const { session, loading } = useAuth();
  const { pathname } = useLocation();
  if (env.waitlistGate && !loading && !session && !isOpenPath(pathname)) {
    return <Navigate to={paths.waitlist.getHref()} replace />;
  }
  return children;
}

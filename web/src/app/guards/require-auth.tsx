import { Navigate, Outlet, useLocation, useOutletContext } from 'react-router-dom';
import { PageSpinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';

export type GuardContext = {
  /** The history entry at which the user chose to sign out: the way home has begun already. */
  leftAt: string | undefined;
};

/** Lets signed-in people through; others sign in first and come back. */
export function RequireAuth() {
  const { session, loading } = useAuth();
  const { leftAt } = useOutletContext<GuardContext>();
  const { key, pathname, search, hash } = useLocation();
  if (loading) return <PageSpinner label="Loading your session..." />;
  if (session) return <Outlet />;
  if (leftAt === key) return <PageSpinner label="Signing out..." />;
  return <Navigate to={paths.signIn.getHref({ next: `${pathname}${search}${hash}` })} replace />;
}

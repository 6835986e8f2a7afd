import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { PageSpinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';

/** Lets signed-in people through; others sign in first and come back. */
export function RequireAuth() {
  const { session, loading } = useAuth();
  const { pathname, search, hash } = useLocation();
  if (loading) return <PageSpinner label="Loading your session..." />;
  if (!session) {
    return <Navigate to={paths.signIn.getHref({ next: `${pathname}${search}${hash}` })} replace />;
  }
  return <Outlet />;
}

import { type ReactNode, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router-dom';
import { PageSpinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { safeNext } from '@/features/auth/next-path';

type SignedOutOnlyProps = {
  /** Judges once on arrival: the screen itself moves on after a sign-in. */
  onArrivalOnly?: boolean;
  children: ReactNode;
};

/** Keeps the signed-in away from the sign-in screens. */
export function SignedOutOnly({ onArrivalOnly = false, children }: SignedOutOnlyProps) {
  const { session, loading } = useAuth();
  const [arrived, setArrived] = useState<'in' | 'out'>();
  const [search] = useSearchParams();
  if (loading && !arrived) return <PageSpinner label="Loading your session..." />;
  const now = session ? 'in' : 'out';
  if (!arrived) setArrived(now);
  if ((onArrivalOnly ? (arrived ?? now) : now) === 'in') {
    return <Navigate to={safeNext(search.get('next')) ?? paths.dashboard.getHref()} replace />;
  }
  return children;
}

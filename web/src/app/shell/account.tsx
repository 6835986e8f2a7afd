import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { loadOrReload } from '@/lib/lazy-screen';
import { avatarStyles } from './avatar-styles';

const loadMenu = () => import('./account-menu');
const AccountMenu = lazy(() => loadOrReload(loadMenu));

/** The right end of the bar: Sign In, or who is signed in. */
export function Account() {
  const { user, loading } = useAuth();
  const [wanted, setWanted] = useState(false);
  if (loading) return <span className="size-9 rounded-full bg-raised" aria-hidden="true" />;
  if (!user) {
    return (
      <Button asChild>
        <Link to={paths.signIn.getHref()}>Sign In</Link>
      </Button>
    );
  }

  // The menu's code comes with the first wish to open it; pointing at it is a head start.
  const preload = () => {
    loadMenu().catch(() => undefined);
  };
  const email = user.email ?? 'Signed in';
  const button = (
    <button
      type="button"
      aria-label={`Account of ${email}`}
      aria-haspopup="menu"
      aria-expanded={false}
      className={avatarStyles}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={() => setWanted(true)}
    >
      {email.slice(0, 1)}
    </button>
  );
  return wanted ? (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  ) : (
    button
  );
}

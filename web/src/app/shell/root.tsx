import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router-dom';
import type { GuardContext } from '@/app/guards/require-auth';
import { WaitlistGate } from '@/app/guards/waitlist-gate';
import { PageSpinner } from '@/components/ui/spinner';
import { ToastHost } from '@/components/ui/toast-host';
import { paths } from '@/config/paths';
import { AuthProvider } from '@/features/auth/auth-provider';
import { loadOrReload } from '@/lib/lazy-screen';
import { useShortcut } from '@/lib/shortcuts';
import { watchTheme } from '@/lib/theme';
import { TopNavigation } from './top-navigation';

const CommandPalette = lazy(() => loadOrReload(() => import('./command-palette')));
const HelpSheet = lazy(() => loadOrReload(() => import('./help-sheet')));

/** What surrounds every screen: session, navigation, palette and help. */
export function Root() {
  const navigate = useNavigate();
  const location = useLocation();
  const [leftAt, setLeftAt] = useState<string>();
  useEffect(watchTheme, []);

  // A session that ends by itself needs nothing here: the guard of the page asks to sign in again,
  // and public pages, which need no session, stay as they are.
  const onSignedOut = (explicit: boolean) => {
    if (!explicit) return;
    setLeftAt(location.key);
    void navigate(paths.landing.getHref());
  };

  return (
    <AuthProvider onSignedOut={onSignedOut}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-foreground px-4 py-2 text-sm font-medium text-background focus-visible:translate-y-0"
      >
        Skip to content
      </a>
      <TopNavigation />
      <Main leftAt={leftAt} />
      <Overlays />
      <ToastHost />
      <ScrollRestoration />
    </AuthProvider>
  );
}

function Main({ leftAt }: GuardContext) {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  // After a navigation, keyboard and screen reader start at the new screen.
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <main ref={main} id="main" tabIndex={-1} className="min-h-[calc(100dvh-3.5rem)] outline-none">
      <WaitlistGate>
        <Suspense fallback={<PageSpinner label="Loading..." />}>
          <Outlet context={{ leftAt } satisfies GuardContext} />
        </Suspense>
      </WaitlistGate>
    </main>
  );
}

type Overlay = 'palette' | 'help';

/** The palette and the help sheet, loaded when first asked for. */
function Overlays() {
  const [open, setOpen] = useState<Overlay>();
  useShortcut('?', () => setOpen('help'));
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey)
        return;
      event.preventDefault();
      setOpen((current) => (current === 'palette' ? undefined : 'palette'));
    };
    // In the capture phase, so that no editor swallows it.
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
  const close = () => setOpen(undefined);
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <CommandPalette onClose={close} onHelp={() => setOpen('help')} />}
      {open === 'help' && <HelpSheet onClose={close} />}
    </Suspense>
  );
}

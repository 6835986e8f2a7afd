import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { Outlet, useNavigate } from 'react-router-dom';
import { PageSpinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { useAuth } from '@/features/auth/auth-context';
import { queryClient } from '@/lib/query-client';
import { useShortcut } from '@/lib/shortcuts';
import { NAVIGATION } from './navigation';

/** What all signed-in screens share: the server's data, toasts and the page's frame. */
export default function AppLayout() {
  const { user } = useAuth();

  // What one person has loaded is not for the next one at the same browser.
  const userId = user?.id;
  useEffect(() => () => queryClient.clear(), [userId]);

  return (
    <QueryClientProvider client={queryClient}>
      <Shortcuts />
      <div className="mx-auto max-w-content px-4 py-6 md:px-6 md:py-8">
        <Suspense fallback={<PageSpinner label="Loading..." />}>
          <Outlet />
        </Suspense>
      </div>
    </QueryClientProvider>
  );
}

function Shortcuts() {
  const navigate = useNavigate();
  useShortcut('c', () => void navigate(paths.promptNew.getHref()));
  return NAVIGATION.map(({ chord, href }) => (
    <Shortcut key={chord} keys={chord} onPress={() => void navigate(href)} />
  ));
}

function Shortcut({ keys, onPress }: { keys: string; onPress: () => void }) {
  useShortcut(keys, onPress);
  return null;
}

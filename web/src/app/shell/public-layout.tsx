import { Suspense } from 'react';
import { Outlet } from 'react-router-dom';
import { PageSpinner } from '@/components/ui/spinner';
import { Footer } from './footer';

/** Pages anyone may read: full width, with a footer. */
export function PublicLayout() {
  return (
    <div className="flex min-h-[calc(100dvh-3.5rem)] flex-col">
      {/* The footer waits for the page above it, or it would jump. */}
      <Suspense fallback={<PageSpinner label="Loading..." />}>
        <div className="flex-1">
          <Outlet />
        </div>
        <Footer />
      </Suspense>
    </div>
  );
}

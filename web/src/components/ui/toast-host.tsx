import { lazy, Suspense } from 'react';
import { useToasterWanted } from '@/lib/toast';

const Toaster = lazy(() => import('./toaster'));

/** Where toasts appear, once there is one. */
export function ToastHost() {
  const wanted = useToasterWanted();
  return <Suspense fallback={null}>{wanted && <Toaster />}</Suspense>;
}

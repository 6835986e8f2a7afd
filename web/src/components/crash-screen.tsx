import { Flame, RotateCw } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';

type CrashScreenProps = {
  /** Clears the error and renders again. */
  onRetry: () => void;
};

/** Shown in place of whatever failed to render. */
export function CrashScreen({ onRetry }: CrashScreenProps) {
  return (
    <div
      role="alert"
      className="mx-auto flex max-w-lg flex-col items-center px-4 py-24 text-center"
    >
      <span className="grid size-12 place-items-center rounded-lg bg-danger-soft text-danger">
        <Flame className="size-6" aria-hidden="true" />
      </span>
      <h1 className="mt-5 text-2xl">Something went wrong</h1>
      <p className="mt-2 text-muted">
        We encountered an unexpected error. Please try refreshing the page or going back to the home
        page. If the problem persists, contact support.
      </p>
      <div className="mt-6 flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={onRetry}>
          <RotateCw aria-hidden="true" />
          Try Again
        </Button>
        <Button asChild>
          {/* A full load on purpose: the router itself may be what failed. */}
          <a href={paths.landing.getHref()}>Go Home</a>
        </Button>
        <Button variant="ghost" onClick={() => window.location.reload()}>
          Reload Page
        </Button>
      </div>
    </div>
  );
}

import { CircleAlert, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { Button } from './button';

type ErrorNoticeProps = {
  /** What happened, for people. */
  message: string;
  /** The raw answer or cause, behind a disclosure. */
  details?: string | undefined;
  /** Shows Try Again. */
  onRetry?: () => void;
  /** Further ways on, a link back for instance. */
  children?: ReactNode;
  className?: string;
};

/** A failure in the place of what could not be shown. */
export function ErrorNotice({ message, details, onRetry, children, className }: ErrorNoticeProps) {
  return (
    <div
      role="alert"
      className={cn('rounded-lg border border-danger/30 bg-danger-soft p-5', className)}
    >
      <div className="flex gap-3">
        <CircleAlert className="mt-0.5 size-5 shrink-0 text-danger" aria-hidden="true" />
        <div className="min-w-0 flex-1">
          <p className="font-medium">{message}</p>
          {details && details !== message && (
            <details className="mt-2 text-sm text-muted">
              <summary className="w-fit cursor-pointer rounded-sm py-0.5 hover:text-foreground">
                Details
              </summary>
              <pre className="mt-2 max-h-48 overflow-auto rounded-md border bg-surface p-3 font-mono text-xs whitespace-pre-wrap">
                {details}
              </pre>
            </details>
          )}
          {(onRetry ?? children) && (
            <div className="mt-4 flex flex-wrap items-center gap-2">
              {onRetry && (
                <Button size="sm" onClick={onRetry}>
                  <RotateCw aria-hidden="true" />
                  Try Again
                </Button>
              )}
              {children}
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

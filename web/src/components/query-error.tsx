import { useRef, type ReactNode } from 'react';
import { ErrorNotice } from '@/components/ui/error-notice';
import { ApiError, friendlyMessage } from '@/lib/prompt-api/errors';

interface QueryErrorProps {
  error: unknown;
  /** Said when the error itself has nothing to say. */
  fallback: string;
  /** Shows the fallback even when the error has a message. */
  fixedText?: boolean;
  onRetry?: () => unknown;
  children?: ReactNode;
}

function details(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return requestId === undefined ? error.message : `${error.message}\nRequest ${requestId}`;
}

/** A failed load. Try Again asks again; if that did not help, it reloads the page. */
export function QueryError({ error, fallback, fixedText, onRetry, children }: QueryErrorProps) {
  const tried = useRef(false);
  const retry = () => {
    if (tried.current) window.location.reload();
    tried.current = true;
    void onRetry?.();
  };
  return (
    <ErrorNotice
      message={fixedText === true ? fallback : friendlyMessage(error, fallback)}
      details={details(error)}
      {...(onRetry ? { onRetry: retry } : {})}
    >
      {children}
    </ErrorNotice>
  );
}

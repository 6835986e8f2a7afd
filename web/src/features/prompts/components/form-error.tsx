import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

interface FormErrorProps {
  message: string;
  details?: string | undefined;
  /** Ways on. */
  children?: ReactNode;
}

/** Why a form was not saved, beside the button that was pressed. */
export function FormError({ message, details, children }: FormErrorProps) {
  return (
    <div
      role="alert"
      className="flex gap-3 rounded-lg border border-danger/30 bg-danger-soft p-4 text-sm"
    >
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0">
        <p className="font-medium">{message}</p>
        {details !== undefined && details !== message && (
          <details className="mt-1 text-muted">
            <summary className="w-fit cursor-pointer rounded-sm py-0.5">Details</summary>
            <p className="mt-1 font-mono text-xs break-words">{details}</p>
          </details>
        )}
        {children && <div className="mt-3 flex flex-wrap gap-2">{children}</div>}
      </div>
    </div>
  );
}

import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

type EmptyStateProps = {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  /** One primary way on, perhaps with a quieter second. */
  actions?: ReactNode;
  className?: string;
};

/** What a list shows when it has nothing to list. */
export function EmptyState({ icon, title, children, actions, className }: EmptyStateProps) {
  return (
    <div
      className={cn(
        'flex flex-col items-center rounded-lg border border-dashed px-6 py-14 text-center',
        className,
      )}
    >
      {icon && (
        <div
          aria-hidden="true"
          className="mb-4 grid size-12 place-items-center rounded-lg bg-accent-soft text-accent [&_svg]:size-6"
        >
          {icon}
        </div>
      )}
      <h2 className="text-base tracking-normal">{title}</h2>
      {children && <div className="mt-1 max-w-sm text-sm text-muted">{children}</div>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}

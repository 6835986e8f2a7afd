import type { ReactNode } from 'react';

interface PageHeaderProps {
  title: ReactNode;
  subtitle?: ReactNode;
  /** Above the title: a way back or a breadcrumb. */
  above?: ReactNode;
  /** Buttons and links at the right; the primary one last. */
  actions?: ReactNode;
}

/** The head of a screen: one title, what it is about, and what one can do there. */
export function PageHeader({ title, subtitle, above, actions }: PageHeaderProps) {
  return (
    <header className="mb-6">
      {above && <div className="mb-2 text-sm">{above}</div>}
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 className="text-2xl">{title}</h1>
          {subtitle && <div className="mt-1 text-sm text-muted">{subtitle}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  );
}

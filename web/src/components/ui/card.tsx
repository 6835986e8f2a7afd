import type { ComponentProps, ReactNode } from 'react';
import { cn } from '@/lib/cn';

/** A surface with a 1 px line instead of a shadow. */
export function Card({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('rounded-lg border bg-surface', className)} {...props} />;
}

type CardHeaderProps = {
  title: ReactNode;
  description?: ReactNode;
  /** Buttons or links at the right. */
  actions?: ReactNode;
  /** Heading level, so that a page's outline has no gaps. */
  level?: 2 | 3;
  className?: string;
};

export function CardHeader({ title, description, actions, level = 2, className }: CardHeaderProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className={cn('flex items-start justify-between gap-4 px-5 pt-4', className)}>
      <div className="min-w-0">
        <Heading className="text-base tracking-normal">{title}</Heading>
        {description && <p className="text-sm text-muted">{description}</p>}
      </div>
      {actions}
    </div>
  );
}

export function CardBody({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('px-5 py-4', className)} {...props} />;
}

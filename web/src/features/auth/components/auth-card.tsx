import type { ReactNode } from 'react';
import { Mark } from '@/components/mark';
import { Card } from '@/components/ui/card';

type AuthCardProps = {
  title: string;
  description: ReactNode;
  children: ReactNode;
  /** Links below the card. */
  footer?: ReactNode;
};

/** The frame of all sign-in screens. */
export function AuthCard({ title, description, children, footer }: AuthCardProps) {
  return (
    <div className="mx-auto flex w-full max-w-md flex-col justify-center px-4 py-12 md:py-20">
      <Card className="relative overflow-hidden p-6 md:p-8">
        <span aria-hidden="true" className="line-ember absolute inset-x-0 top-0 h-0.5" />
        <Mark className="size-9" />
        <h1 className="mt-5 text-2xl">{title}</h1>
        <p className="mt-1 mb-6 text-sm text-muted">{description}</p>
        {children}
      </Card>
      {footer && <div className="mt-6 text-center text-sm text-muted">{footer}</div>}
    </div>
  );
}

/** A line with a word in its middle, between two ways to go on. */
export function Divider({ children }: { children: ReactNode }) {
  return (
    <div className="my-5 flex items-center gap-3 text-xs text-muted before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      {children}
    </div>
  );
}

import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn';

type LabelProps = Omit<ComponentProps<'label'>, 'htmlFor'> & { htmlFor: string };

export function Label({ className, htmlFor, children, ...props }: LabelProps) {
  return (
    <label htmlFor={htmlFor} className={cn('text-sm font-medium', className)} {...props}>
      {children}
    </label>
  );
}

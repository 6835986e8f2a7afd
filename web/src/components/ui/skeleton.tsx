import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn';

/** A quiet block in the place of what is loading. Says nothing: the screen has a status text. */
export function Skeleton({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      aria-hidden="true"
      className={cn('animate-pulse rounded-md bg-raised', className)}
      {...props}
    />
  );
}

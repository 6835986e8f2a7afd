import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn';

/** Shared by everything one types into. 16 px on touch, or phones zoom the page on focus. */
export const fieldStyles =
  'w-full rounded-md border border-control/70 bg-surface px-3 text-sm text-foreground transition-[border-color] duration-150 hover:border-control focus-visible:border-accent focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:opacity-60 [&[readonly]]:bg-raised aria-invalid:border-danger pointer-coarse:text-base max-md:text-base';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(fieldStyles, 'h-9 pointer-coarse:h-11', className)} {...props} />;
}

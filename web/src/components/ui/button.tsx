import { cva, type VariantProps } from 'class-variance-authority';
import type { ComponentProps } from 'react';
import { cn } from '@/lib/cn';
import { Slot } from './slot';
import { Spinner } from './spinner';

const buttonStyles = cva(
  'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-[opacity,background-color,border-color,color,transform] duration-150 select-none active:translate-y-px disabled:cursor-not-allowed disabled:not-data-pending:opacity-55 disabled:active:translate-y-0 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        // Refused, it is plain: a faded fire looks broken, not unavailable.
        primary:
          'fill-ember font-semibold hover:opacity-92 disabled:not-data-pending:border disabled:not-data-pending:bg-raised disabled:not-data-pending:bg-none disabled:not-data-pending:text-muted disabled:not-data-pending:opacity-100',
        secondary:
          'border border-border bg-surface text-foreground hover:border-control hover:bg-raised',
        ghost: 'text-muted hover:bg-raised hover:text-foreground',
        danger: 'border border-danger/40 bg-surface text-danger hover:bg-danger-soft',
        link: 'h-auto px-0 text-accent underline-offset-4 hover:underline',
      },
      size: {
        sm: 'h-8 px-3 text-sm pointer-coarse:h-11',
        md: 'h-9 px-3.5 text-sm pointer-coarse:h-11',
        lg: 'h-12 px-6 text-base',
        icon: 'size-9 pointer-coarse:size-11',
      },
    },
    compoundVariants: [
      {
        variant: 'link',
        // Looks like text; a finger may also hit the space around it.
        class:
          'h-auto min-h-6 px-0 pointer-coarse:h-auto pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5',
      },
    ],
    defaultVariants: { variant: 'secondary', size: 'md' },
  },
);

export type ButtonProps = ComponentProps<'button'> &
  VariantProps<typeof buttonStyles> & {
    /** Gives the look to the single child (a link, say) in place of a `<button>`. */
    asChild?: boolean;
    /** Shows a spinner and refuses clicks; the label stays, so that its text can say what runs. */
    pending?: boolean;
  };

/** One primary button per screen; the rest are secondary or ghost. */
export function Button({
  variant,
  size,
  asChild = false,
  pending = false,
  className,
  disabled,
  children,
  ...props
}: ButtonProps) {
  const classes = cn(buttonStyles({ variant, size }), className);
  if (asChild) {
    return (
      <Slot className={classes} {...props}>
        {children}
      </Slot>
    );
  }
  return (
    <button
      type="button"
      className={classes}
      disabled={disabled ?? pending}
      data-pending={pending || undefined}
      {...props}
    >
      {pending && <Spinner aria-hidden label="" />}
      {children}
    </button>
  );
}

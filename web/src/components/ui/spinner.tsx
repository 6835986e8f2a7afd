import { cn } from '@/lib/cn';

type SpinnerProps = {
  /** What is loading; read out, and shown when `visible`. */
  label: string;
  /** Shows the label beside the spinner. */
  visible?: boolean;
  className?: string;
  'aria-hidden'?: boolean;
};

/** A turning ring. It appears after a moment only, so that quick answers do not flicker. */
export function Spinner({
  label,
  visible = false,
  className,
  'aria-hidden': hidden,
}: SpinnerProps) {
  const ring = (
    <svg viewBox="0 0 16 16" className="size-4 animate-spin" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6.5"
        fill="none"
        stroke="currentColor"
        strokeOpacity="0.25"
        strokeWidth="2"
      />
      <path
        d="M8 1.5A6.5 6.5 0 0 1 14.5 8"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  );
  if (hidden) return ring;
  return (
    <span
      role="status"
      className={cn('inline-flex items-center gap-2 text-sm text-muted', className)}
    >
      {ring}
      <span className={visible ? undefined : 'sr-only'}>{label}</span>
    </span>
  );
}

/** Fills a screen while its code or first data is on the way. */
export function PageSpinner({ label }: { label: string }) {
  return (
    <div className="flex min-h-[40vh] items-center justify-center">
      <Spinner
        label={label}
        visible
        className="animate-fade [animation-delay:200ms] [animation-fill-mode:backwards]"
      />
    </div>
  );
}

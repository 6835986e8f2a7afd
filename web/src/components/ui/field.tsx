import { type ReactNode, useId } from 'react';
import { Label } from './label';

type Control = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean };

type FieldProps = {
  label: ReactNode;
  /** What to enter, below the label. */
  hint?: ReactNode;
  /** What is wrong with the value; announced, and linked to the control. */
  error?: string | undefined;
  /** Draws the control with the given id and descriptions. */
  children: (control: Control) => ReactNode;
};

/** A label, its control, a hint and the error, tied together for screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>{label}</Label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': Boolean(error) })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

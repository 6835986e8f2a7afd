import { useEffect, type RefObject } from 'react';

/** Moves to the first field that is wrong whenever a form reports problems. */
export function useFocusFirstError(
  form: RefObject<HTMLFormElement | null>,
  problem: object | undefined,
): void {
  useEffect(() => {
    if (problem === undefined) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, problem]);
}

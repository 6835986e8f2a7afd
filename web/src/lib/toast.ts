/**
 * Toasts, loaded with the first one: public pages mostly show none and should not pay for them.
 */

/** How long a success stays. Errors stay until they are dismissed. */
export const SUCCESS_TOAST_MS = 2000;

/** How long one may take back what was done. */
export const UNDO_TOAST_MS = 6000;

type Options = { description?: string };

type Undo = { label: string; onClick: () => void };

const sonner = async () => (await import('sonner')).toast;

export const toast = {
  success(message: string, options: Options = {}) {
    void sonner().then((show) => show.success(message, { duration: SUCCESS_TOAST_MS, ...options }));
  },
  error(message: string, options: Options = {}) {
    void sonner().then((show) => show.error(message, { duration: Infinity, ...options }));
  },
  /** A success with a way back. */
  undo(message: string, undo: Undo) {
    void sonner().then((show) => show.success(message, { duration: UNDO_TOAST_MS, action: undo }));
  },
};

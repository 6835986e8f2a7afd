/**
 * Toasts. Their library and the place they appear in are loaded with the first one: most visits
 * show none and should not pay for them.
 */
import { useSyncExternalStore } from 'react';
import type { toast as SonnerToast } from 'sonner';

/** How long a success stays. Errors stay until they are dismissed. */
export const SUCCESS_TOAST_MS = 2000;

/** How long one may take back what was done. */
export const UNDO_TOAST_MS = 6000;

type Options = { description?: string };

type Undo = { label: string; onClick: () => void };

let wanted = false;
const listeners = new Set<() => void>();
let markReady: () => void;
const ready = new Promise<void>((resolve) => {
  markReady = resolve;
});

/** Called by the toaster: a toast shown before it listens would be lost. */
export const toasterReady = () => markReady();

/** Whether there is anything to show yet. */
export function useToasterWanted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => wanted,
  );
}

type Sonner = typeof SonnerToast;

async function withSonner(show: (sonner: Sonner) => void): Promise<void> {
  wanted = true;
  listeners.forEach((listener) => listener());
  const [{ toast: sonner }] = await Promise.all([import('sonner'), ready]);
  show(sonner);
}

export const toast = {
  success(message: string, options: Options = {}) {
    const timing = { duration: SUCCESS_TOAST_MS, ...options };
    void withSonner((sonner) => sonner.success(message, timing));
  },
  error(message: string, options: Options = {}) {
    const timing = { duration: Infinity, ...options };
    void withSonner((sonner) => sonner.error(message, timing));
  },
  /** A success with a way back. */
  undo(message: string, undo: Undo) {
    const timing = { duration: UNDO_TOAST_MS, action: undo };
    void withSonner((sonner) => sonner.success(message, timing));
  },
};

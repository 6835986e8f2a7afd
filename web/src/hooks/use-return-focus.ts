import { useRef } from 'react';

/**
 * For dialogs that no button of their own opens: closing them gives the focus back to where it
 * was. Spread the result onto the dialog's content.
 */
export function useReturnFocus() {
  const before = useRef<Element>(null);
  return {
    onOpenAutoFocus: () => {
      before.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      const { activeElement, body } = document;
      if (!(before.current instanceof HTMLElement) || before.current === body) return;
      event.preventDefault();
      // A screen that came in the meantime has taken the focus for itself.
      if (activeElement === null || activeElement === body) before.current.focus();
    },
  };
}

import { useEffect, useRef } from 'react';

interface Shortcut {
  /** `event.key`, in lower case. */
  key: string;
  /** Needs Ctrl, or Cmd on a Mac. Such shortcuts also work while typing. */
  mod?: boolean;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** An open dialog or menu has the keyboard to itself. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]') !== null;
}

/** Runs `handler` on a key. Single keys do nothing while typing, so no text is lost. */
export function useShortcut({ key, mod = false }: Shortcut, handler: () => void): void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== key || event.altKey || event.repeat) return;
      if ((event.ctrlKey || event.metaKey) !== mod) return;
      if (isCovered() || (!mod && isTyping(event.target))) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [key, mod]);
}

import { useEffect, useEffectEvent } from 'react';

/**
 * Runs `handler` on Ctrl or Cmd with a key ("s", "enter"), also while one types. A dialog in front
 * of the screen has the keyboard to itself.
 */
export function useModShortcut(key: string, handler: () => void): void {
  const run = useEffectEvent(handler);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== key || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      const covered = document.querySelector('[role="dialog"],[role="alertdialog"]') !== null;
      if (!event.repeat && !covered) run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => {
      window.removeEventListener('keydown', onKeyDown);
    };
  }, [key]);
}

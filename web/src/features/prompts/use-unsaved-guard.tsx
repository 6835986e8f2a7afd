import { useCallback, useEffect, useRef, type ReactNode } from 'react';
import { useBlocker, type BlockerFunction } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFooter } from '@/components/ui/dialog';

interface UnsavedGuard {
  /** Lets the next navigation through: what was entered has been saved. */
  release: () => void;
  /** To be drawn somewhere on the screen. */
  dialog: ReactNode;
}

/** Asks before entered text is lost to a link, the back button or a closed tab. */
export function useUnsavedGuard(dirty: boolean): UnsavedGuard {
  const released = useRef(false);
  const shouldBlock = useCallback<BlockerFunction>(
    ({ currentLocation, nextLocation }) =>
      dirty && !released.current && currentLocation.pathname !== nextLocation.pathname,
    [dirty],
  );
  const blocker = useBlocker(shouldBlock);

  useEffect(() => {
    if (!dirty) return undefined;
    const warn = (event: BeforeUnloadEvent) => {
      if (!released.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
    };
  }, [dirty]);

  const release = useCallback(() => {
    released.current = true;
  }, []);
  const stay = () => blocker.reset?.();
  const dialog = (
    <Dialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => {
        if (!open) stay();
      }}
    >
      <DialogContent
        title="Leave without saving?"
        description="What you changed on this page has not been saved."
      >
        <DialogFooter>
          <Button variant="danger" onClick={() => blocker.proceed?.()}>
            Leave page
          </Button>
          <Button variant="primary" onClick={stay}>
            Stay here
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  );
  return { release, dialog };
}

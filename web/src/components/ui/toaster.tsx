import { useEffect } from 'react';
import { Toaster as Sonner } from 'sonner';
import { toasterReady } from '@/lib/toast';

/** Shows the toasts of lib/toast: at most three, errors until dismissed. */
export default function Toaster() {
  useEffect(toasterReady, []);
  return (
    <Sonner
      style={{ fontFamily: 'var(--font-sans)' }}
      position="bottom-right"
      visibleToasts={3}
      closeButton
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'relative flex w-full items-center gap-3 rounded-md border bg-surface py-3 pr-10 pl-4 text-sm text-foreground shadow-lg shadow-black/5 dark:shadow-black/40',
          title: 'font-medium',
          description: 'text-muted',
          icon: 'shrink-0 [&_svg]:size-4',
          success: '[&_[data-icon]]:text-success',
          error: '[&_[data-icon]]:text-danger',
          actionButton: 'ml-auto rounded-sm border px-2 py-1 text-xs font-medium hover:bg-raised',
          closeButton:
            'absolute top-1/2 right-2 grid size-6 -translate-y-1/2 place-items-center rounded-sm text-muted hover:bg-raised hover:text-foreground [&_svg]:size-3.5',
        },
      }}
    />
  );
}

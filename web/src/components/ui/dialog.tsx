import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { useReturnFocus } from '@/hooks/use-return-focus';
import { cn } from '@/lib/cn';
import { Button } from './button';

export const Dialog = Radix.Root;
export const DialogTrigger = Radix.Trigger;
export const DialogClose = Radix.Close;

export function DialogOverlay() {
  return <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-overlay" />;
}

type DialogContentProps = ComponentProps<typeof Radix.Content> & {
  title: ReactNode;
  /** What the dialog is for; leave out only if the title says it all. */
  description?: ReactNode;
};

export function DialogContent({
  title,
  description,
  className,
  children,
  ...props
}: DialogContentProps) {
  const returnFocus = useReturnFocus();
  return (
    <Radix.Portal>
      <DialogOverlay />
      <Radix.Content
        {...(description ? {} : { 'aria-describedby': undefined })}
        className={cn(
          'fixed inset-x-4 top-[12vh] z-50 mx-auto grid max-h-[76vh] max-w-lg animate-appear gap-4 overflow-y-auto rounded-lg border bg-surface p-5',
          className,
        )}
        {...returnFocus}
        {...props}
      >
        <div className="pr-8">
          <Radix.Title className="text-xl">{title}</Radix.Title>
          {description && (
            <Radix.Description className="mt-1 text-sm text-muted">{description}</Radix.Description>
          )}
        </div>
        {children}
        <Radix.Close asChild>
          <Button variant="ghost" size="icon" className="absolute top-3 right-3" aria-label="Close">
            <X />
          </Button>
        </Radix.Close>
      </Radix.Content>
    </Radix.Portal>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogFooter({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('flex flex-wrap justify-end gap-2', className)} {...props} />;
}

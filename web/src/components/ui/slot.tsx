import { cloneElement, type ComponentProps, isValidElement, type ReactNode } from 'react';
import { cn } from '@/lib/cn';

type Props = Record<string, unknown>;

/** Both handlers run, the child's first; it may prevent the other as in plain DOM code. */
function both(inner: unknown, outer: unknown): unknown {
  if (typeof inner !== 'function' || typeof outer !== 'function') return inner ?? outer;
  return (event: Event) => {
    inner(event);
    if (!event.defaultPrevented) outer(event);
  };
}

/**
 * Gives its props to its only child. What radix-ui's Slot does beyond that (several children,
 * lazy ones) nothing here needs, and every public page would download it.
 */
export function Slot({ children, className, ...props }: ComponentProps<'button'>): ReactNode {
  if (!isValidElement<Props>(children)) throw new Error('asChild needs exactly one element');
  const own = children.props;
  const merged: Props = { ...props, ...own };
  for (const name of Object.keys(props)) {
    if (/^on[A-Z]/.test(name)) merged[name] = both(own[name], (props as Props)[name]);
  }
  return cloneElement(children, {
    ...merged,
    className: cn(className, own['className'] as string | undefined),
  });
}

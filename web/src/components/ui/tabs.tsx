import {
  createContext,
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  use,
  useId,
  useState,
} from 'react';
import { cn } from '@/lib/cn';

// Not from radix-ui: its tabs bring 9 KB of roving focus that every sign-in would download.

type TabsState = { id: string; value: string; select: (value: string) => void };

const TabsContext = createContext<TabsState | null>(null);

function useTabs(): TabsState {
  const tabs = use(TabsContext);
  if (!tabs) throw new Error('Tab parts must be used within Tabs');
  return tabs;
}

type TabsProps = {
  /** The open tab, when the caller keeps it (in the address, say). */
  value?: string;
  defaultValue?: string;
  onValueChange?: (value: string) => void;
  className?: string;
  children: ReactNode;
};

export function Tabs({ value, defaultValue = '', onValueChange, className, children }: TabsProps) {
  const [own, setOwn] = useState(defaultValue);
  const id = useId();
  const select = (next: string) => {
    setOwn(next);
    onValueChange?.(next);
  };
  return (
    <TabsContext value={{ id, value: value ?? own, select }}>
      <div className={className}>{children}</div>
    </TabsContext>
  );
}

/** Where each key leads from the tab at `index`. */
const STEPS: Record<string, (index: number, count: number) => number> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index - 1 + count) % count,
  Home: () => 0,
  End: (_index, count) => count - 1,
};

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key];
  if (!step) return;
  const tabs = [
    ...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]:not(:disabled)'),
  ];
  const index = tabs.findIndex((tab) => tab === document.activeElement);
  event.preventDefault();
  const next = tabs[step(index, tabs.length)];
  next?.focus();
  next?.click();
}

export function TabsList({ className, ...props }: ComponentProps<'div'>) {
  return (
    <div
      role="tablist"
      tabIndex={-1}
      onKeyDown={moveFocus}
      className={cn('flex gap-1 overflow-x-auto border-b', className)}
      {...props}
    />
  );
}

type TabProps = Omit<ComponentProps<'button'>, 'value'> & { value: string };

export function TabsTrigger({ value, className, ...props }: TabProps) {
  const tabs = useTabs();
  const active = tabs.value === value;
  return (
    <button
      type="button"
      role="tab"
      id={`${tabs.id}-tab-${value}`}
      aria-selected={active}
      aria-controls={`${tabs.id}-panel-${value}`}
      tabIndex={active ? 0 : -1}
      data-state={active ? 'active' : 'inactive'}
      onClick={() => tabs.select(value)}
      className={cn(
        '-mb-px inline-flex h-10 items-center gap-2 border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-muted transition-colors duration-150 hover:text-foreground focus-visible:outline-offset-[-2px] data-[state=active]:border-accent data-[state=active]:text-foreground pointer-coarse:h-11 [&_svg]:size-4',
        className,
      )}
      {...props}
    />
  );
}

type PanelProps = ComponentProps<'div'> & { value: string };

/** Closed panels are not in the page: what is in them starts afresh. */
export function TabsContent({ value, className, children, ...props }: PanelProps) {
  const tabs = useTabs();
  const open = tabs.value === value;
  return (
    <div
      role="tabpanel"
      id={`${tabs.id}-panel-${value}`}
      aria-labelledby={`${tabs.id}-tab-${value}`}
      hidden={!open}
      className={cn('pt-4', className)}
      {...props}
    >
      {open && children}
    </div>
  );
}

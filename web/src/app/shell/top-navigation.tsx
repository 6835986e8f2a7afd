import { Menu, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, NavLink } from 'react-router-dom';
import { Logo } from '@/components/mark';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';
import { cn } from '@/lib/cn';
import { Account } from './account';
import { NAVIGATION } from './navigation';

/** The bar on top: links on wide screens, a collapsible menu on small ones. */
export function TopNavigation() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const bar = useRef<HTMLElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const menuId = useId();
  useDismiss(open, bar, close, toggle);

  return (
    <header ref={bar} className="sticky top-0 z-30 border-b bg-background">
      <div className="mx-auto flex h-14 max-w-content items-center gap-6 px-4 md:px-6">
        <Link
          to={paths.landing.getHref()}
          onClick={close}
          className="flex min-h-11 items-center rounded-sm"
        >
          <Logo />
        </Link>
        <nav aria-label="Main" className="hidden gap-1 md:flex">
          <NavigationLinks itemClass="h-9 px-3" onChoose={close} />
        </nav>
        <div className="ml-auto flex items-center gap-2">
          <Account />
          <Button
            ref={toggle}
            variant="ghost"
            size="icon"
            className="size-11 md:hidden"
            aria-expanded={open}
            aria-controls={menuId}
            aria-label={open ? 'Close menu' : 'Open menu'}
            onClick={() => setOpen(!open)}
          >
            {open ? <X /> : <Menu />}
          </Button>
        </div>
      </div>
      <nav
        id={menuId}
        aria-label="Menu"
        hidden={!open}
        className="grid gap-1 border-t px-3 py-3 md:hidden [&[hidden]]:hidden"
      >
        <NavigationLinks itemClass="h-11 px-3" onChoose={close} />
      </nav>
    </header>
  );
}

type NavigationLinksProps = { itemClass: string; onChoose: () => void };

function NavigationLinks({ itemClass, onChoose }: NavigationLinksProps) {
  return NAVIGATION.map(({ label, href, screen }) => (
    <NavLink
      key={href}
      to={href}
      onClick={onChoose}
      onPointerEnter={screen.preload}
      onFocus={screen.preload}
      className={({ isActive }) =>
        cn(
          'flex items-center rounded-md text-sm font-medium text-muted transition-colors duration-150 hover:bg-raised hover:text-foreground',
          itemClass,
          isActive && 'bg-raised text-foreground',
        )
      }
    >
      {label}
    </NavLink>
  ));
}

/** Closes on Escape, which gives the focus back to the toggle, and on a press elsewhere. */
function useDismiss(
  open: boolean,
  inside: React.RefObject<HTMLElement | null>,
  close: () => void,
  toggle: React.RefObject<HTMLElement | null>,
) {
  useEffect(() => {
    if (!open) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      close();
      toggle.current?.focus();
    };
    const onPointerDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !inside.current?.contains(event.target)) close();
    };
    document.addEventListener('keydown', onKeyDown);
    document.addEventListener('pointerdown', onPointerDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      document.removeEventListener('pointerdown', onPointerDown);
    };
  }, [open, inside, close, toggle]);
}

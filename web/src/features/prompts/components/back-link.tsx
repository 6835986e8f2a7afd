import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router-dom';

/** The way up from a screen. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <Link
      to={to}
      className="inline-flex max-w-full items-center gap-1.5 rounded-sm py-0.5 text-muted hover:text-foreground"
    >
      <ArrowLeft aria-hidden="true" className="size-4 shrink-0" />
      <span className="truncate">{children}</span>
    </Link>
  );
}

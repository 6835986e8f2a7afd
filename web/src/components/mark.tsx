import { useId } from 'react';
import { BRAND } from '@/config/brand';

const FLAME =
  'M17.6 .8c.5 4.6 3.7 7.3 6.2 10.5 2.3 3 3.6 6 3.6 9.3 0 6.3-4.9 10.7-11.2 10.7S4.7 26.9 4.7 20.6c0-4.3 2.1-7.6 5-10.5.2 2.3.9 3.9 2.4 4.9-.3-5.5 1.5-10.7 5.5-14.2Z';
const BRACE =
  'M19.9 13.4c-2.9 0-3.9 1.3-3.9 3.5 0 2.5-.8 3.6-3.4 3.8 2.6.2 3.4 1.3 3.4 3.8 0 2.2 1 3.5 3.9 3.5';

/** The flame with the opening brace burnt into it. `public/favicon.svg` is the same drawing. */
export function Mark({ className }: { className?: string }) {
  const id = useId();
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <defs>
        <linearGradient id={`${id}fire`} x1="0" y1="0" x2="0.35" y2="1">
          <stop offset="0" stopColor="#FBBF24" />
          <stop offset="0.45" stopColor="#F97316" />
          <stop offset="1" stopColor="#DC2626" />
        </linearGradient>
        <mask id={`${id}brace`}>
          <rect width="32" height="32" fill="#fff" />
          <path d={BRACE} fill="none" stroke="#000" strokeWidth="2.9" strokeLinecap="round" />
        </mask>
      </defs>
      <path d={FLAME} fill={`url(#${id}fire)`} mask={`url(#${id}brace)`} />
    </svg>
  );
}

/** Mark and name. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 font-semibold tracking-tight">
      <Mark className="size-6" />
      {BRAND.name}
    </span>
  );
}

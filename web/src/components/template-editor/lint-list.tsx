import { TriangleAlert } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { Button } from '@/components/ui/button';
import { findLints, type Lint } from '@/lib/compile/lints';
import { scan } from '@/lib/compile/tokens';

/** Advice shown at once; the rest is counted. */
const SHOWN = 3;

const NO_NAMES: readonly string[] = [];

interface LintListProps {
  template: string;
  /** Names that have a value: near misses of them are pointed out. */
  names?: readonly string[];
  /** Takes the template with one piece of advice followed. */
  onFix: (template: string) => void;
}

function fixed(template: string, { start, end, replacement = '' }: Lint): string {
  return template.slice(0, start) + replacement + template.slice(end);
}

/** What the template may mean differently from how it reads. Never blocks anything. */
export function LintList({ template, names = NO_NAMES, onFix }: LintListProps) {
  const settled = useDeferredValue(template);
  const lints = useMemo(() => findLints(settled, scan(settled), names), [settled, names]);
  if (lints.length === 0) return null;
  return (
    <ul aria-label="Advice" className="mt-2 grid gap-1">
      {lints.slice(0, SHOWN).map((lint) => (
        <li
          key={`${lint.code}-${String(lint.start)}`}
          className="flex items-start gap-2 text-xs text-muted"
        >
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-3.5 shrink-0 text-warning" />
          <span className="min-w-0">{lint.message}</span>
          {lint.replacement !== undefined && (
            <Button
              variant="link"
              className="text-xs"
              disabled={settled !== template}
              onClick={() => {
                onFix(fixed(template, lint));
              }}
            >
              Use <code className="font-mono">{lint.replacement}</code>
            </Button>
          )}
        </li>
      ))}
      {lints.length > SHOWN && (
        <li className="pl-5.5 text-xs text-muted">and {lints.length - SHOWN} more</li>
      )}
    </ul>
  );
}

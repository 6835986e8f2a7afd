import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';
import { cn } from '@/lib/cn';
import type { Severity } from '@/features/dashboard/health-status';

const MARKS: Record<Severity, { Icon: LucideIcon; className: string }> = {
  good: { Icon: CircleCheck, className: 'text-success' },
  warning: { Icon: TriangleAlert, className: 'text-warning' },
  bad: { Icon: CircleAlert, className: 'text-danger' },
  unknown: { Icon: CircleDashed, className: 'text-muted' },
};

/** Shape and colour of a state; the words always stand beside it. */
export function StatusMark({ severity }: { severity: Severity }) {
  const { Icon, className } = MARKS[severity];
  return <Icon aria-hidden="true" className={cn('size-4 shrink-0', className)} />;
}

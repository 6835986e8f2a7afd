import { useQuery } from '@tanstack/react-query';
import { Activity, FileText, History, Timer, type LucideIcon } from 'lucide-react';
import { Skeleton } from '@/components/ui/skeleton';
import { formatCount, formatDuration } from '@/features/dashboard/numbers';
import { statsQuery } from '@/lib/prompt-api/queries';

/** The four numbers of the dashboard; what the server does not know is a dash. */
export function StatCards() {
  const { data, isPending } = useQuery(statsQuery());
  const value = (text: string) => (isPending ? undefined : text);
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-lg border bg-border gap-px lg:grid-cols-4">
      <Stat icon={FileText} label="Total Prompts" value={value(formatCount(data?.prompts))} />
      <Stat icon={History} label="Versions" value={value(formatCount(data?.versions))} />
      <Stat
        icon={Activity}
        label="API Calls"
        note="Last 30 days"
        value={value(formatCount(data?.api_calls))}
      />
      <Stat
        icon={Timer}
        label="Avg Response"
        note="Last 30 days"
        value={value(formatDuration(data?.avg_response_ms))}
      />
    </dl>
  );
}

interface StatProps {
  icon: LucideIcon;
  label: string;
  note?: string;
  /** Undefined while it loads. */
  value: string | undefined;
}

function Stat({ icon: Icon, label, note, value }: StatProps) {
  return (
    <div className="flex flex-col bg-surface px-5 py-4">
      <dt className="flex items-center gap-2 text-sm text-muted">
        <Icon aria-hidden="true" className="size-4 shrink-0 text-accent" />
        {label}
      </dt>
      <dd className="mt-2 h-8 text-2xl leading-8 font-semibold tracking-tight">
        {value ?? <Skeleton className="h-7 w-16" />}
      </dd>
      <dd className="h-5 text-xs leading-5 text-muted">{note}</dd>
    </div>
  );
}

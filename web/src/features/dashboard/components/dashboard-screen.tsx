import { useQuery } from '@tanstack/react-query';
import { QueryError } from '@/components/query-error';
import { bannerOf, type Banner, type Severity } from '@/features/dashboard/health-status';
import { usePageTitle } from '@/hooks/use-page-title';
import { cn } from '@/lib/cn';
import { healthQuery, promptListQuery } from '@/lib/prompt-api/queries';
import { QuickActions } from './quick-actions';
import { RecentPrompts } from './recent-prompts';
import { StatCards } from './stat-cards';
import { StatusMark } from './status-mark';
import { SystemStatus } from './system-status';

/** Prompts the dashboard asks for. */
export const DASHBOARD_PROMPTS = 6;

/** What one has, what happened last, and whether the server is well. */
export function DashboardScreen() {
  usePageTitle('Dashboard');
  const prompts = useQuery(promptListQuery({ limit: DASHBOARD_PROMPTS }));
  const health = useQuery(healthQuery());
  const failed = prompts.isError && !prompts.data;

  return (
    <>
      <header className="mb-6 flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-2xl">Dashboard</h1>
        <StatusBanner banner={bannerOf(health.data, health.isError)} />
      </header>
      {prompts.isPending && (
        <p role="status" className="sr-only">
          Loading dashboard...
        </p>
      )}
      <div className="grid gap-6">
        {failed && (
          <QueryError
            error={prompts.error}
            fallback="Failed to load dashboard"
            fixedText
            onRetry={() => prompts.refetch()}
          />
        )}
        <StatCards />
        <div
          className={cn('grid grid-cols-1 gap-6', !failed && 'lg:grid-cols-[minmax(0,1fr)_22rem]')}
        >
          {!failed && <RecentPrompts prompts={prompts.data?.prompts} />}
          <QuickActions />
        </div>
        <SystemStatus health={health.data} />
      </div>
    </>
  );
}

const BANNER_STYLES: Record<Severity, string> = {
  good: 'border-success/30 bg-success-soft',
  warning: 'border-warning/30 bg-warning-soft',
  bad: 'border-danger/30 bg-danger-soft',
  unknown: 'bg-surface',
};

function StatusBanner({ banner }: { banner: Banner }) {
  return (
    <p
      role="status"
      className={cn(
        'inline-flex min-h-8 items-center gap-2 rounded-md border px-3 py-1 text-sm',
        BANNER_STYLES[banner.severity],
      )}
    >
      <StatusMark severity={banner.severity} />
      {banner.text}
    </p>
  );
}

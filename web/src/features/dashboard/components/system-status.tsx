import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { severityOf, statusText } from '@/features/dashboard/health-status';
import type { Health } from '@/lib/prompt-api/schemas';
import { StatusMark } from './status-mark';

/** Parts shown while the server has not said how they are. */
const PARTS = ['API Server', 'Database', 'Cache Layer', 'AI Models'];

/** How each part of the server is; only an answered question has an answer here. */
export function SystemStatus({ health }: { health: Health | undefined }) {
  const parts = health?.components ?? [];
  const rows = parts.length > 0 ? parts : PARTS.map((name) => ({ name, status: undefined }));
  return (
    <Card>
      <CardHeader title="System Status" />
      <CardBody className="pt-3">
        <ul className="grid gap-x-10 gap-y-3 text-sm sm:grid-cols-2 lg:grid-cols-4">
          {rows.map(({ name, status }) => (
            <li key={name} className="flex items-center justify-between gap-4 lg:grid lg:gap-1">
              <span className="font-medium">{name}</span>
              <span className="flex items-center gap-2 text-muted">
                <StatusMark severity={status === undefined ? 'unknown' : severityOf(status)} />
                {status === undefined ? 'unknown' : statusText(status)}
              </span>
            </li>
          ))}
        </ul>
      </CardBody>
    </Card>
  );
}

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
      <CardBody className="pt-2">
        <ul className="divide-y text-sm">
          {rows.map(({ name, status }) => (
            <li key={name} className="flex items-center justify-between gap-4 py-2.5 last:pb-0">
              <span>{name}</span>
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

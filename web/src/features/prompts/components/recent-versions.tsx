import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { QueryError } from '@/components/query-error';
import { Timestamp } from '@/components/timestamp';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { versionDescription } from '@/features/prompts/version-description';
import { versionsQuery } from '@/lib/prompt-api/queries';
import type { PromptVersion } from '@/lib/prompt-api/schemas';

/** Versions a prompt's own page lists. */
export const RECENT_VERSIONS = 5;

/** Characters of a content hash shown in lists. */
export const LIST_HASH_LENGTH = 8;

interface RecentVersionsProps {
  promptId: number;
  current: number | undefined;
}

export function RecentVersions({ promptId, current }: RecentVersionsProps) {
  const versions = useQuery(versionsQuery(promptId));
  return (
    <Card>
      <CardHeader
        title="Recent Versions"
        actions={
          <Button asChild variant="link" size="sm">
            <Link to={paths.promptVersions.getHref(promptId)}>View All</Link>
          </Button>
        }
      />
      <CardBody className="px-2 pt-2 pb-2">
        {versions.isPending && <VersionsSkeleton />}
        {versions.isError && !versions.data && (
          <QueryError
            error={versions.error}
            fallback="Failed to load data"
            onRetry={() => versions.refetch()}
          />
        )}
        {versions.data && (
          <ul>
            {versions.data.slice(0, RECENT_VERSIONS).map((version) => (
              <VersionRow
                key={version.id}
                promptId={promptId}
                version={version}
                isCurrent={version.version === current}
              />
            ))}
          </ul>
        )}
      </CardBody>
    </Card>
  );
}

interface VersionRowProps {
  promptId: number;
  version: PromptVersion;
  isCurrent: boolean;
}

function VersionRow({ promptId, version, isCurrent }: VersionRowProps) {
  return (
    <li>
      <Link
        to={paths.promptVersion.getHref(promptId, version.id)}
        className="flex min-h-11 flex-wrap items-center gap-x-3 rounded-md px-3 py-2 text-sm hover:bg-raised"
      >
        <span className="w-10 shrink-0 font-mono font-medium">v{version.version}</span>
        <span className="min-w-0 flex-1 truncate text-muted">{versionDescription(version)}</span>
        {isCurrent && <Badge tone="accent">Current</Badge>}
        <span
          className="font-mono text-xs text-muted max-sm:order-last max-sm:basis-full max-sm:pl-13"
          title={version.content_hash}
        >
          {version.content_hash.slice(0, LIST_HASH_LENGTH)}
        </span>
        <Timestamp
          value={version.created_at}
          className="w-22 shrink-0 text-right text-xs text-muted"
        />
      </Link>
    </li>
  );
}

function VersionsSkeleton() {
  return (
    <div aria-hidden="true" className="grid gap-2 p-2">
      {[1, 2, 3].map((row) => (
        <Skeleton key={row} className="h-9" />
      ))}
    </div>
  );
}

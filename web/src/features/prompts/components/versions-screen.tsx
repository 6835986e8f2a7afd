import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router-dom';
import { PageHeader } from '@/components/page-header';
import { QueryError } from '@/components/query-error';
import { Skeleton } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { usePromptId } from '@/features/prompts/use-prompt-id';
import { useVersionShortcuts } from '@/features/prompts/use-version-shortcuts';
import { usePageTitle } from '@/hooks/use-page-title';
import { versionsQuery } from '@/lib/prompt-api/queries';
import type { Prompt, PromptVersion } from '@/lib/prompt-api/schemas';
import { usePrompt } from '@/lib/prompt-api/use-prompt';
import { BackLink } from './back-link';
import { PromptMissing } from './prompt-missing';
import { RestoreDialog } from './restore-dialog';
import { VersionItem } from './version-item';

/** Every version of a prompt, newest first; one of them may be opened by the address. */
export function VersionsScreen() {
  const id = usePromptId();
  const { versionId } = useParams();
  const prompt = usePrompt(id);
  const versions = useQuery({ ...versionsQuery(id), enabled: !Number.isNaN(id) });
  usePageTitle('Version History', ...(prompt.data ? [prompt.data.name] : []), 'Prompts');

  if (Number.isNaN(id)) return <PromptMissing error={null} onRetry={() => undefined} />;
  if (prompt.isError && !prompt.data) {
    return <PromptMissing error={prompt.error} onRetry={() => prompt.refetch()} />;
  }
  return (
    <>
      <PageHeader
        above={
          <BackLink to={paths.prompt.getHref(id)}>{prompt.data?.name ?? 'Back to prompt'}</BackLink>
        }
        title="Version History"
        subtitle={
          versions.data &&
          `${String(versions.data.length)} ${versions.data.length === 1 ? 'version' : 'versions'}`
        }
      />
      {versions.isError && !versions.data && (
        <QueryError
          error={versions.error}
          fallback="Failed to load data"
          onRetry={() => versions.refetch()}
        />
      )}
      {prompt.data && versions.data ? (
        <VersionList
          // Another version in the address opens another item.
          key={`${String(id)}-${versionId ?? ''}`}
          prompt={prompt.data}
          versions={versions.data}
          named={versionId}
        />
      ) : (
        !versions.isError && <VersionListSkeleton />
      )}
    </>
  );
}

/** `v3` names a version by its number, a bare number by its id. */
function isNamed(version: PromptVersion, name: string | undefined): boolean {
  return name === `v${String(version.version)}` || name === String(version.id);
}

interface VersionListProps {
  prompt: Prompt;
  versions: readonly PromptVersion[];
  /** The version the address names. */
  named: string | undefined;
}

function VersionList({ prompt, versions, named }: VersionListProps) {
  const [restoring, setRestoring] = useState<PromptVersion | null>(null);
  const newest = versions[0];
  const current = prompt.current_version?.version ?? newest?.version;
  const shown = versions.find((version) => isNamed(version, named)) ?? newest;
  useVersionShortcuts({
    promptId: prompt.id,
    shown: shown?.version ?? 1,
    newest: newest?.version ?? 1,
  });
  return (
    <>
      <ol aria-label="Versions" className="divide-y rounded-lg border bg-surface">
        {versions.map((version) => (
          <VersionItem
            key={version.id}
            promptId={prompt.id}
            version={version}
            isCurrent={version.version === current}
            linked={isNamed(version, named)}
            initiallyOpen={named === undefined ? version === newest : isNamed(version, named)}
            onRestore={setRestoring}
          />
        ))}
      </ol>
      <RestoreDialog
        prompt={prompt}
        version={restoring}
        onClose={() => {
          setRestoring(null);
        }}
      />
    </>
  );
}

function VersionListSkeleton() {
  return (
    <div>
      <p role="status" className="sr-only">
        Loading versions...
      </p>
      <Skeleton className="h-14 rounded-lg" />
      <Skeleton className="mt-2 h-14 rounded-lg" />
      <Skeleton className="mt-2 h-14 rounded-lg" />
    </div>
  );
}

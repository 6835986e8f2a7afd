import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '@/components/page-header';
import { QueryError } from '@/components/query-error';
import { Skeleton } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { usePromptId } from '@/features/prompts/use-prompt-id';
import { usePageTitle } from '@/hooks/use-page-title';
import { versionsQuery } from '@/lib/prompt-api/queries';
import { usePrompt } from '@/lib/prompt-api/use-prompt';
import { BackLink } from './back-link';
import { Comparison } from './comparison';
import { PromptMissing } from './prompt-missing';

/** Two versions of a prompt side by side. */
export function CompareScreen() {
  const id = usePromptId();
  const prompt = usePrompt(id);
  const versions = useQuery({ ...versionsQuery(id), enabled: !Number.isNaN(id) });
  usePageTitle('Compare Versions', ...(prompt.data ? [prompt.data.name] : []), 'Prompts');

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
        title="Compare Versions"
      />
      {versions.isError && !versions.data && (
        <QueryError
          error={versions.error}
          fallback="Failed to load data"
          onRetry={() => versions.refetch()}
        />
      )}
      {prompt.data && versions.data && <Comparison prompt={prompt.data} versions={versions.data} />}
      {!versions.isError && !(prompt.data && versions.data) && <CompareSkeleton />}
    </>
  );
}

function CompareSkeleton() {
  return (
    <div>
      <p role="status" className="sr-only">
        Loading versions...
      </p>
      <Skeleton className="h-9 w-80 max-w-full" />
      <Skeleton className="mt-4 h-80 rounded-lg" />
    </div>
  );
}

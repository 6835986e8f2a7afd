import { paths } from '@/config/paths';
import { usePromptId } from '@/features/prompts/use-prompt-id';
import { usePageTitle } from '@/hooks/use-page-title';
import type { LoadedPrompt } from '@/lib/prompt-api/client';
import { usePrompt } from '@/lib/prompt-api/use-prompt';
import { PageHeader } from '@/components/page-header';
import { BackLink } from './back-link';
import { DetailSkeleton } from './detail-skeleton';
import { EditForm } from './edit-form';
import { PromptMissing } from './prompt-missing';

/** Changes a prompt. The form starts from an answer of the server, never from a cached list. */
export function EditScreen() {
  const id = usePromptId();
  const prompt = usePrompt(id);
  usePageTitle('Edit', ...(prompt.data ? [prompt.data.name] : []), 'Prompts');
  const reload = async (): Promise<LoadedPrompt | undefined> => (await prompt.refetch()).data;

  if (Number.isNaN(id)) return <PromptMissing error={null} onRetry={() => undefined} />;
  if (prompt.isError && !prompt.data) {
    return <PromptMissing error={prompt.error} onRetry={() => prompt.refetch()} />;
  }
  if (!prompt.data || prompt.isPlaceholderData) return <DetailSkeleton />;
  return (
    <>
      <PageHeader
        above={<BackLink to={paths.prompt.getHref(id)}>{prompt.data.name}</BackLink>}
        title="Edit Prompt"
      />
      <EditForm key={id} loaded={prompt.data} onReload={reload} />
    </>
  );
}

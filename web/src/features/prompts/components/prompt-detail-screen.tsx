import { useNavigate } from 'react-router-dom';
import { paths } from '@/config/paths';
import { usePromptId } from '@/features/prompts/use-prompt-id';
import { useVersionShortcuts } from '@/features/prompts/use-version-shortcuts';
import { usePageTitle } from '@/hooks/use-page-title';
import { useShortcut } from '@/lib/shortcuts';
import { copyText } from '@/lib/copy-text';
import type { Prompt } from '@/lib/prompt-api/schemas';
import { usePrompt } from '@/lib/prompt-api/use-prompt';
import { Copy } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { TemplateText } from '@/components/ui/template-text';
import { DetailHeader } from './detail-header';
import { DetailSide } from './detail-side';
import { DetailSkeleton } from './detail-skeleton';
import { PromptMissing } from './prompt-missing';
import { RecentVersions } from './recent-versions';

/** One prompt: its text, its latest versions and what is known about it. */
export function PromptDetailScreen() {
  const id = usePromptId();
  const prompt = usePrompt(id);
  usePageTitle(...(prompt.data ? [prompt.data.name] : []), 'Prompts');

  if (Number.isNaN(id)) return <PromptMissing error={null} onRetry={() => undefined} />;
  if (prompt.data) return <LoadedPrompt prompt={prompt.data} />;
  if (prompt.isError) {
    return <PromptMissing error={prompt.error} onRetry={() => prompt.refetch()} />;
  }
  return <DetailSkeleton />;
}

function LoadedPrompt({ prompt }: { prompt: Prompt }) {
  const navigate = useNavigate();
  const template = prompt.current_version?.template ?? '';
  const version = prompt.current_version?.version ?? 1;
  useVersionShortcuts({ promptId: prompt.id, shown: version, newest: version });
  useShortcut('e', () => {
    void navigate(paths.promptEdit.getHref(prompt.id));
  });
  return (
    <>
      <DetailHeader prompt={prompt} />
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="grid min-w-0 grid-cols-1 content-start gap-6">
          {prompt.description && <p className="max-w-prose text-base">{prompt.description}</p>}
          <Card>
            <CardHeader
              title="Template"
              actions={
                <Button
                  variant="ghost"
                  size="icon"
                  className="-mt-1 -mr-2"
                  aria-label="Copy"
                  onClick={() => void copyText(template)}
                >
                  <Copy aria-hidden="true" />
                </Button>
              }
            />
            <CardBody className="overflow-x-auto pt-2">
              <TemplateText text={template} className="block text-sm leading-[1.7]" />
            </CardBody>
          </Card>
          <RecentVersions promptId={prompt.id} current={prompt.current_version?.version} />
        </div>
        <DetailSide prompt={prompt} />
      </div>
    </>
  );
}

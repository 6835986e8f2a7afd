import { FileText } from 'lucide-react';
import { Link } from 'react-router-dom';
import { CARD_TAGS, TagList } from '@/components/tag-list';
import { Timestamp } from '@/components/timestamp';
import { Button } from '@/components/ui/button';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import type { Prompt } from '@/lib/prompt-api/schemas';

/** Prompts the dashboard lists. */
export const RECENT_PROMPTS = 3;

interface RecentPromptsProps {
  /** Undefined while they load. */
  prompts: readonly Prompt[] | undefined;
}

export function RecentPrompts({ prompts }: RecentPromptsProps) {
  return (
    <Card className="flex min-h-70 flex-col">
      <CardHeader
        title="Recent Prompts"
        actions={
          <Button asChild variant="link" size="sm">
            <Link to={paths.prompts.getHref()}>View all</Link>
          </Button>
        }
      />
      <CardBody className="flex flex-1 flex-col px-2 pt-2 pb-2">
        {prompts === undefined && <RecentSkeleton />}
        {prompts?.length === 0 && <NothingYet />}
        {prompts !== undefined && prompts.length > 0 && (
          <ul className="divide-y">
            {prompts.slice(0, RECENT_PROMPTS).map((prompt) => (
              <RecentPrompt key={prompt.id} prompt={prompt} />
            ))}
          </ul>
        )}
      </CardBody>
    </Card>
  );
}

function RecentPrompt({ prompt }: { prompt: Prompt }) {
  const { id, name, key, tags, updated_at, current_version } = prompt;
  return (
    <li>
      <Link
        to={paths.prompt.getHref(id)}
        className="grid min-h-18 grid-cols-1 content-center gap-1.5 rounded-md px-3 py-2.5 hover:bg-raised"
      >
        <span className="flex items-baseline justify-between gap-3">
          <span className="truncate text-sm font-medium">{name}</span>
          <Timestamp value={updated_at} relative className="shrink-0 text-xs text-muted" />
        </span>
        <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
          <span className="max-w-full truncate font-mono text-xs text-muted">
            {key} · v{current_version?.version ?? 1}
          </span>
          <TagList tags={tags} limit={CARD_TAGS} />
        </span>
      </Link>
    </li>
  );
}

function NothingYet() {
  return (
    <div className="m-auto flex flex-col items-center px-4 py-8 text-center">
      <FileText aria-hidden="true" className="mb-3 size-8 text-muted" strokeWidth={1.5} />
      <p className="text-sm font-medium">No prompts yet</p>
      <Button asChild variant="link" className="mt-1">
        <Link to={paths.promptNew.getHref()}>Create your first prompt</Link>
      </Button>
    </div>
  );
}

function RecentSkeleton() {
  return (
    <div aria-hidden="true" className="grid gap-2 p-2">
      {[1, 2, 3].map((row) => (
        <Skeleton key={row} className="h-16" />
      ))}
    </div>
  );
}

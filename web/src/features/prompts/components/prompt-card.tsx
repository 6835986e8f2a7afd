import { Archive, ArchiveRestore, FlaskConical, Pencil } from 'lucide-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { CARD_TAGS, TagList } from '@/components/tag-list';
import { Timestamp } from '@/components/timestamp';
import { Button } from '@/components/ui/button';
import { Tooltip } from '@/components/ui/tooltip';
import { paths } from '@/config/paths';
import type { Prompt } from '@/lib/prompt-api/schemas';

/** All cards are this high, so rows of a long list can be placed without measuring them. */
export const CARD_HEIGHT = 232;

interface PromptCardProps {
  prompt: Prompt;
  onArchive: (prompt: Prompt) => unknown;
  onUnarchive: (prompt: Prompt) => unknown;
}

export function PromptCard({ prompt, onArchive, onUnarchive }: PromptCardProps) {
  const { id, name, key, description, tags, current_version, updated_at } = prompt;
  return (
    <article
      aria-label={name}
      style={{ height: CARD_HEIGHT }}
      className="relative flex flex-col rounded-lg border bg-surface transition-colors duration-150 hover:border-control/60"
    >
      <div className="flex min-h-0 flex-1 flex-col px-4 pt-3.5">
        <h2 className="truncate text-base leading-6 tracking-normal">
          <Link
            to={paths.prompt.getHref(id)}
            className="rounded-sm after:absolute after:inset-0 after:rounded-lg hover:text-accent"
          >
            {name}
          </Link>
        </h2>
        <p className="truncate font-mono text-xs text-muted">{key}</p>
        {description && <p className="mt-2 line-clamp-2 text-sm text-muted">{description}</p>}
        <div className="mt-auto pb-3">
          <TagList tags={tags} limit={CARD_TAGS} className="flex-nowrap" />
          <p className="mt-2 flex items-center gap-2 text-xs text-muted">
            <span className="font-mono font-medium text-foreground">
              v{current_version?.version ?? 1}
            </span>
            <span aria-hidden="true">·</span>
            <span>
              Updated <Timestamp value={updated_at} />
            </span>
          </p>
        </div>
      </div>
      <div className="relative flex items-center gap-0.5 border-t py-1 pr-1.5 pl-2">
        <Button asChild variant="ghost" size="sm" className="mr-auto px-2">
          <Link to={paths.prompt.getHref(id)}>View Details</Link>
        </Button>
        <CardAction label="Edit Prompt">
          <Link to={paths.promptEdit.getHref(id)} aria-label="Edit Prompt">
            <Pencil aria-hidden="true" />
          </Link>
        </CardAction>
        <CardAction label="Test in Playground">
          <Link to={paths.playground.getHref({ prompt: key })} aria-label="Test in Playground">
            <FlaskConical aria-hidden="true" />
          </Link>
        </CardAction>
        <ArchiveAction prompt={prompt} onArchive={onArchive} onUnarchive={onUnarchive} />
      </div>
    </article>
  );
}

function ArchiveAction({ prompt, onArchive, onUnarchive }: PromptCardProps) {
  const label = prompt.is_archived ? 'Unarchive' : 'Archive';
  const Icon = prompt.is_archived ? ArchiveRestore : Archive;
  const run = prompt.is_archived ? onUnarchive : onArchive;
  return (
    <CardAction label={label}>
      <button
        type="button"
        aria-label={label}
        onClick={() => {
          run(prompt);
        }}
      >
        <Icon aria-hidden="true" />
      </button>
    </CardAction>
  );
}

function CardAction({ label, children }: { label: string; children: ReactElement }) {
  return (
    <Tooltip content={label}>
      <Button asChild variant="ghost" size="icon" className="size-8">
        {children}
      </Button>
    </Tooltip>
  );
}

import {
  Archive,
  ArchiveRestore,
  Copy,
  Download,
  Ellipsis,
  FlaskConical,
  GitCompareArrows,
  History,
  Pencil,
} from 'lucide-react';
import { Link, useNavigate } from 'react-router-dom';
import { PageHeader } from '@/components/page-header';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu';
import { paths } from '@/config/paths';
import { exportPrompt } from '@/features/prompts/export-prompt';
import { useArchive } from '@/features/prompts/use-archive';
import { copyText } from '@/lib/copy-text';
import type { Prompt } from '@/lib/prompt-api/schemas';
import { BackLink } from './back-link';

export function DetailHeader({ prompt }: { prompt: Prompt }) {
  const { id, name, key, is_archived, current_version } = prompt;
  return (
    <PageHeader
      above={<BackLink to={paths.prompts.getHref()}>Prompts</BackLink>}
      title={name}
      subtitle={
        <span className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 font-mono break-all">{key}</span>
          {is_archived && <Badge tone="warning">Archived</Badge>}
        </span>
      }
      actions={
        <>
          <Button onClick={() => void copyText(current_version?.template ?? '')}>
            <Copy aria-hidden="true" />
            Copy Template
          </Button>
          <Button asChild>
            <Link to={paths.playground.getHref({ prompt: key })}>
              <FlaskConical aria-hidden="true" />
              Test in Playground
            </Link>
          </Button>
          <ActionsMenu prompt={prompt} />
          <Button asChild variant="primary">
            <Link to={paths.promptEdit.getHref(id)} aria-keyshortcuts="e">
              <Pencil aria-hidden="true" />
              Edit
            </Link>
          </Button>
        </>
      }
    />
  );
}

function ActionsMenu({ prompt }: { prompt: Prompt }) {
  const navigate = useNavigate();
  const { archive, unarchive } = useArchive();
  const archiveAndLeave = async () => {
    if (await archive(prompt)) await navigate(paths.prompts.getHref());
  };
  return (
    <DropdownMenu modal={false}>
      <DropdownMenuTrigger asChild>
        <Button size="icon" aria-label="Actions" className="max-sm:order-last">
          <Ellipsis aria-hidden="true" />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuItem asChild>
          <Link to={paths.promptVersions.getHref(prompt.id)}>
            <History aria-hidden="true" />
            View Version History
          </Link>
        </DropdownMenuItem>
        <DropdownMenuItem asChild>
          <Link to={paths.promptCompare.getHref(prompt.id)}>
            <GitCompareArrows aria-hidden="true" />
            Compare Versions
          </Link>
        </DropdownMenuItem>
        <DropdownMenuItem
          onSelect={() => {
            exportPrompt(prompt);
          }}
        >
          <Download aria-hidden="true" />
          Export Prompt
        </DropdownMenuItem>
        <DropdownMenuSeparator />
        {prompt.is_archived ? (
          <DropdownMenuItem onSelect={() => void unarchive(prompt)}>
            <ArchiveRestore aria-hidden="true" />
            Unarchive
          </DropdownMenuItem>
        ) : (
          <DropdownMenuItem danger onSelect={() => void archiveAndLeave()}>
            <Archive aria-hidden="true" />
            Archive
          </DropdownMenuItem>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

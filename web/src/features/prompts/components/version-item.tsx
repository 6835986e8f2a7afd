import { ChevronRight, Copy, GitCompareArrows, RotateCcw } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { Timestamp } from '@/components/timestamp';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { TemplateText } from '@/components/ui/template-text';
import { paths } from '@/config/paths';
import { versionDescription } from '@/features/prompts/version-description';
import { cn } from '@/lib/cn';
import { copyText } from '@/lib/copy-text';
import type { PromptVersion } from '@/lib/prompt-api/schemas';
import { LIST_HASH_LENGTH } from './recent-versions';

interface VersionItemProps {
  promptId: number;
  version: PromptVersion;
  isCurrent: boolean;
  /** The address names this version: bring it into view. */
  linked: boolean;
  initiallyOpen: boolean;
  onRestore: (version: PromptVersion) => void;
}

/** One version; opens to its text. */
export function VersionItem({
  promptId,
  version,
  isCurrent,
  linked,
  initiallyOpen,
  onRestore,
}: VersionItemProps) {
  const id = useId();
  const item = useRef<HTMLLIElement>(null);
  const [open, setOpen] = useState(initiallyOpen);
  useEffect(() => {
    if (linked) item.current?.scrollIntoView({ block: 'center' });
  }, [linked]);
  return (
    <li ref={item} className="scroll-mt-20">
      <h2 className="text-sm font-normal tracking-normal">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          className="flex min-h-14 w-full flex-wrap items-center gap-x-3 px-4 py-2 text-left hover:bg-raised/60"
          onClick={() => {
            setOpen(!open);
          }}
        >
          <ChevronRight
            aria-hidden="true"
            className={cn(
              'size-4 shrink-0 text-muted transition-transform duration-150',
              open && 'rotate-90',
            )}
          />
          <span className="w-10 shrink-0 font-mono font-medium">v{version.version}</span>
          <span className="min-w-0 flex-1 truncate text-muted">{versionDescription(version)}</span>
          {isCurrent && <Badge tone="accent">Current</Badge>}
          <span
            className="font-mono text-xs text-muted max-sm:order-last max-sm:basis-full max-sm:pl-20"
            title={version.content_hash}
          >
            {version.content_hash.slice(0, LIST_HASH_LENGTH)}
          </span>
          <Timestamp
            value={version.created_at}
            className="w-22 shrink-0 text-right text-xs text-muted"
          />
        </button>
      </h2>
      <div id={id} hidden={!open} className="px-4 pb-4 sm:pl-11">
        <div className="max-h-96 overflow-auto rounded-md border bg-background px-3 py-2.5">
          <TemplateText text={version.template} className="block text-sm leading-[1.7]" />
        </div>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button size="sm" onClick={() => void copyText(version.template)}>
            <Copy aria-hidden="true" />
            Copy Template
          </Button>
          {version.version > 1 && (
            <Button asChild size="sm">
              <Link
                to={paths.promptCompare.getHref(promptId, {
                  from: version.version - 1,
                  to: version.version,
                })}
              >
                <GitCompareArrows aria-hidden="true" />
                View changes
              </Link>
            </Button>
          )}
          {!isCurrent && (
            <Button
              size="sm"
              onClick={() => {
                onRestore(version);
              }}
            >
              <RotateCcw aria-hidden="true" />
              Restore v{version.version}
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

import { Command, useCommandState } from 'cmdk';
import { FileText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { paths } from '@/config/paths';
import { logError } from '@/lib/error-log';
import { promptApi } from '@/lib/prompt-api/api';
import type { Prompt } from '@/lib/prompt-api/schemas';

const DEBOUNCE_MS = 150;
const LIMIT = 5;

type PromptResultsProps = {
  groupClass: string;
  itemClass: string;
  onChoose: (href: string) => () => void;
};

/** Prompts the server finds for what is typed; the newest ones before anything is. */
export function PromptResults({ groupClass, itemClass, onChoose }: PromptResultsProps) {
  const term = useCommandState((state) => state.search);
  const prompts = usePromptSearch(term);
  if (prompts.length === 0) return null;
  return (
    <Command.Group heading="Prompts" className={groupClass} forceMount>
      {prompts.map((prompt) => (
        // The server has matched already: cmdk must not filter its answer again.
        <Command.Item
          key={prompt.id}
          value={`prompt-${prompt.id}`}
          forceMount
          onSelect={onChoose(paths.prompt.getHref(prompt.id))}
          className={itemClass}
        >
          <FileText />
          <span className="truncate">{prompt.name}</span>
          <span className="ml-auto max-w-1/2 truncate font-mono text-xs text-muted">
            {prompt.key}
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function usePromptSearch(term: string): Prompt[] {
  const [prompts, setPrompts] = useState<Prompt[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const search = () => {
      promptApi
        .listPrompts({ q: term.trim(), limit: LIMIT }, abort.signal)
        .then((page) => setPrompts(page.prompts))
        .catch((error: unknown) => {
          if (!abort.signal.aborted) logError('Prompt search failed', error);
        });
    };
    const timer = setTimeout(search, term === '' ? 0 : DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [term]);
  return prompts;
}

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { Prompt } from '@/lib/prompt-api/schemas';
import { CARD_HEIGHT, PromptCard } from './prompt-card';

/** Longer lists draw only the rows on screen. */
export const VIRTUAL_FROM = 100;

const GAP = 16;
const MIN_CARD_WIDTH = 288;

interface PromptGridProps {
  prompts: readonly Prompt[];
  onArchive: (prompt: Prompt) => unknown;
  onUnarchive: (prompt: Prompt) => unknown;
}

const GRID = 'grid grid-cols-[repeat(auto-fill,minmax(min(18rem,100%),1fr))] gap-4';

export function PromptGrid({ prompts, ...actions }: PromptGridProps) {
  if (prompts.length > VIRTUAL_FROM) return <VirtualGrid prompts={prompts} {...actions} />;
  return (
    <ul className={GRID}>
      {prompts.map((prompt) => (
        <li key={prompt.id} className="min-w-0">
          <PromptCard prompt={prompt} {...actions} />
        </li>
      ))}
    </ul>
  );
}

/** How many cards fit side by side, by the rule the plain grid's CSS follows. */
function useColumns(element: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(1);
  useEffect(() => {
    const target = element.current;
    if (target === null) return undefined;
    const observer = new ResizeObserver(() => {
      const fit = Math.floor((target.clientWidth + GAP) / (MIN_CARD_WIDTH + GAP));
      setColumns(Math.max(1, fit));
    });
    observer.observe(target);
    return () => {
      observer.disconnect();
    };
  }, [element]);
  return columns;
}

function VirtualGrid({ prompts, ...actions }: PromptGridProps) {
  const list = useRef<HTMLUListElement>(null);
  const columns = useColumns(list);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    setTop(list.current?.offsetTop ?? 0);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: Math.ceil(prompts.length / columns),
    estimateSize: () => CARD_HEIGHT,
    gap: GAP,
    overscan: 3,
    scrollMargin: top,
  });
  return (
    <ul ref={list} className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().flatMap((row) =>
        prompts.slice(row.index * columns, (row.index + 1) * columns).map((prompt, column) => (
          <li
            key={prompt.id}
            aria-setsize={prompts.length}
            aria-posinset={row.index * columns + column + 1}
            className="absolute min-w-0"
            style={{
              top: row.start - top,
              left: `calc(${String(column)} * (100% + ${String(GAP)}px) / ${String(columns)})`,
              width: `calc((100% - ${String((columns - 1) * GAP)}px) / ${String(columns)})`,
            }}
          >
            <PromptCard prompt={prompt} {...actions} />
          </li>
        )),
      )}
    </ul>
  );
}

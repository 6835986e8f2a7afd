import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { LoadedPrompt, PromptPage } from './client';
import { promptKeys, promptQuery } from './queries';

/** One prompt. While it loads, what a list already knows about it stands in. */
export function usePrompt(id: number) {
  const client = useQueryClient();
  return useQuery({
    ...promptQuery(id),
    enabled: !Number.isNaN(id),
    placeholderData: (): LoadedPrompt | undefined => {
      const lists = client.getQueriesData<PromptPage>({ queryKey: promptKeys.lists });
      const known = lists
        .flatMap(([, page]) => page?.prompts ?? [])
        .find((prompt) => prompt.id === id);
      return known && { ...known, etag: undefined };
    },
  });
}

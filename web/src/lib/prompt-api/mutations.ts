/** What the screens change through the prompt API. Archiving shows before the server confirms it. */
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { promptApi } from './api';
import type { ListParams, LoadedPrompt, NewPrompt, PromptChanges, PromptPage } from './client';
import { promptKeys } from './queries';
import type { Prompt } from './schemas';

type ListSnapshot = [readonly unknown[], PromptPage | undefined][];

/** Whether a list asked for with these parameters shows a prompt in this state. */
function shows(params: ListParams, isArchived: boolean): boolean {
  if (params.archived === 'all') return true;
  return isArchived === (params.archived === 'true');
}

function withArchived(page: PromptPage, params: ListParams, id: number, isArchived: boolean) {
  const prompts = page.prompts
    .map((prompt) => (prompt.id === id ? { ...prompt, is_archived: isArchived } : prompt))
    .filter((prompt) => prompt.id !== id || shows(params, isArchived));
  return { prompts, total: page.total - (page.prompts.length - prompts.length) };
}

function changeLists(client: QueryClient, id: number, isArchived: boolean): ListSnapshot {
  const before = client.getQueriesData<PromptPage>({ queryKey: promptKeys.lists });
  for (const [key, page] of before) {
    const params = (key[2] ?? {}) as ListParams;
    if (page) client.setQueryData(key, withArchived(page, params, id, isArchived));
  }
  return before;
}

function refresh(client: QueryClient, id?: number): Promise<unknown> {
  return Promise.all([
    client.invalidateQueries({ queryKey: promptKeys.lists }),
    client.invalidateQueries({ queryKey: promptKeys.stats }),
    client.invalidateQueries({ queryKey: promptKeys.byKeys }),
    ...(id === undefined
      ? []
      : [
          client.invalidateQueries({ queryKey: promptKeys.detail(id) }),
          client.invalidateQueries({ queryKey: promptKeys.versions(id) }),
        ]),
  ]);
}

/** Archives or unarchives; lists change at once and change back when the server refuses. */
export function useSetArchived() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, archived }: { id: number; archived: boolean }) =>
      archived ? promptApi.archivePrompt(id) : promptApi.unarchivePrompt(id),
    onMutate: async ({ id, archived }) => {
      await client.cancelQueries({ queryKey: promptKeys.lists });
      return { before: changeLists(client, id, archived) };
    },
    onError: (_error, _variables, context) => {
      for (const [key, page] of context?.before ?? []) client.setQueryData(key, page);
    },
    onSettled: (_data, _error, { id }) => refresh(client, id),
  });
}

export function useCreatePrompt() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (prompt: NewPrompt) => promptApi.createPrompt(prompt),
    onSuccess: () => refresh(client),
  });
}

/** One save of the edit form: what changed, and what it was loaded as. */
export interface PromptSave {
  prompt: LoadedPrompt;
  changes: PromptChanges;
  /** The new text, when it differs from the stored one. */
  template?: string;
  /** What the new version is about. */
  message?: string;
}

/** The new version was stored and the other fields were not. */
export class PartialSaveError extends Error {
  override name = 'PartialSaveError';

  constructor(version: number, cause: unknown) {
    super(`Version ${String(version)} was saved, but name, description and tags were not.`, {
      cause,
    });
  }
}

/** Saves the text first: it is what two people are likely to change at the same time. */
export function useSavePrompt() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ prompt, changes, template, message = '' }: PromptSave) => {
      const version =
        template === undefined
          ? undefined
          : await promptApi.createVersion(
              prompt.id,
              { template, description: message },
              prompt.etag,
            );
      if (Object.keys(changes).length === 0) return;
      try {
        // A stored version has changed the entity tag, so the second call goes without one.
        await promptApi.updatePrompt(prompt.id, changes, version ? undefined : prompt.etag);
      } catch (cause) {
        throw version ? new PartialSaveError(version.version, cause) : cause;
      }
    },
    onSettled: (_data, _error, { prompt }) => refresh(client, prompt.id),
  });
}

export function useRollback(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (version: number): Promise<Prompt> => promptApi.rollback(id, version),
    onSettled: () => refresh(client, id),
  });
}

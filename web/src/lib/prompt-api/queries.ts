/** What the screens read from the prompt API, with one cache key per answer. */
import { queryOptions } from '@tanstack/react-query';
import { promptApi } from './api';
import type { ListParams } from './client';

/** Cached answers are shown for this long before they are asked for again. */
export const STALE_MS = 30_000;

export const promptKeys = {
  all: ['prompts'] as const,
  lists: ['prompts', 'list'] as const,
  list: (params: ListParams) => ['prompts', 'list', params] as const,
  byKeys: ['prompts', 'by-key'] as const,
  byKey: (key: string) => [...promptKeys.byKeys, key] as const,
  detail: (id: number) => ['prompts', 'detail', id] as const,
  versions: (id: number) => ['prompts', 'versions', id] as const,
  stats: ['stats'] as const,
  health: ['health'] as const,
};

export const promptListQuery = (params: ListParams) =>
  queryOptions({
    queryKey: promptKeys.list(params),
    queryFn: ({ signal }) => promptApi.listPrompts(params, signal),
    staleTime: STALE_MS,
  });

export const promptQuery = (id: number) =>
  queryOptions({
    queryKey: promptKeys.detail(id),
    queryFn: ({ signal }) => promptApi.getPrompt(id, signal),
    staleTime: STALE_MS,
  });

export const promptByKeyQuery = (key: string) =>
  queryOptions({
    queryKey: promptKeys.byKey(key),
    queryFn: ({ signal }) => promptApi.getPromptByKey(key, signal),
    staleTime: STALE_MS,
  });

export const versionsQuery = (id: number) =>
  queryOptions({
    queryKey: promptKeys.versions(id),
    queryFn: ({ signal }) => promptApi.listVersions(id, signal),
    staleTime: STALE_MS,
  });

export const statsQuery = () =>
  queryOptions({
    queryKey: promptKeys.stats,
    queryFn: ({ signal }) => promptApi.stats(signal),
    staleTime: STALE_MS,
  });

export const healthQuery = () =>
  queryOptions({
    queryKey: promptKeys.health,
    queryFn: ({ signal }) => promptApi.health(signal),
    staleTime: STALE_MS,
    refetchInterval: 60_000,
  });

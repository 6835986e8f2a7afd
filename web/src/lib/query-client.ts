/** The cache of server data, shared by the screens and the command palette. */
import { QueryClient } from '@tanstack/react-query';

/** Answers that a repeat cannot change are not asked for again. */
function isFinal(error: unknown): boolean {
  const status =
    typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 429;
}

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (count, error) => count < 2 && !isFinal(error),
      },
      mutations: { retry: false },
    },
  });

export const queryClient = createQueryClient();

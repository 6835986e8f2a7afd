import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import type { ReactNode } from 'react';
import { makePrompt } from '@/testing/prompt-data';
import { server } from '@/testing/server';
import { promptKeys } from './queries';
import { usePrompt } from './use-prompt';

function hookFor(id: number, known: ReturnType<typeof makePrompt>[] = []) {
  const client = new QueryClient();
  client.setQueryData(promptKeys.list({}), { prompts: known, total: known.length });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(() => usePrompt(id), { wrapper });
}

test('what a list knows stands in until the prompt itself is there', async () => {
  server.use(
    http.get('*/api/v1/prompts/4', () =>
      HttpResponse.json(makePrompt({ id: 4, name: 'New' }), { headers: { ETag: '"a"' } }),
    ),
  );
  const { result } = hookFor(4, [makePrompt({ id: 4, name: 'Old' })]);
  expect(result.current.data).toMatchObject({ name: 'Old', etag: undefined });
  expect(result.current.isPlaceholderData).toBe(true);
  await waitFor(() => {
    expect(result.current.data).toMatchObject({ name: 'New', etag: '"a"' });
  });
});

test('an address without an id asks nothing', () => {
  const { result } = hookFor(Number.NaN);
  expect(result.current.fetchStatus).toBe('idle');
});

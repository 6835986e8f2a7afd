/** Draws one screen at an address, with the data cache and the router it needs. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { RouterProvider, createMemoryRouter, useLocation } from 'react-router-dom';

/** Shows where a screen went. */
function Elsewhere() {
  const { pathname, search, hash } = useLocation();
  return <p>{`Went to ${pathname}${search}${hash}`}</p>;
}

interface ScreenOptions {
  /** The route's pattern. */
  path: string;
  /** The address; the pattern itself without. */
  at?: string;
}

export function renderScreen(screen: ReactNode, { path, at = path }: ScreenOptions) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createMemoryRouter(
    [
      { path, element: screen },
      { path: '*', element: <Elsewhere /> },
    ],
    { initialEntries: [at] },
  );
  const view = render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { ...view, router, client, user: userEvent.setup() };
}

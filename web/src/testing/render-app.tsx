/** Renders the whole app at an address, as a visitor would open it. */
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { routes } from '@/app/router';

export function renderApp(address: string) {
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  const view = render(<RouterProvider router={router} />);
  const where = () => {
    const { pathname, search, hash } = router.state.location;
    return `${pathname}${search}${hash}`;
  };
  return { ...view, router, where, user: userEvent.setup() };
}

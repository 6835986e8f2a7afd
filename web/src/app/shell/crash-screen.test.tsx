import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { CrashScreen } from '@/components/crash-screen';
import { RouteCrash } from './route-crash';

test('says what happened and offers three ways on', async () => {
  const retry = jest.fn();
  const { container } = render(<CrashScreen onRetry={retry} />);
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Something went wrong');
  expect(
    screen.getByText(
      'We encountered an unexpected error. Please try refreshing the page or going back to the home page. If the problem persists, contact support.',
    ),
  ).toBeVisible();
  expect(screen.getByRole('link', { name: 'Go Home' })).toHaveAttribute('href', '/');
  expect(screen.getByRole('button', { name: 'Reload Page' })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(retry).toHaveBeenCalled();
  expect(await axe(container)).toHaveNoViolations();
});

test('a crashed screen is replaced, and Try Again renders it again', async () => {
  // React and the router each report what was caught.
  jest.spyOn(console, 'error').mockImplementation();
  let broken = true;
  const Fragile = () => {
    if (broken) throw new Error('render failed');
    return <p>fine again</p>;
  };
  const router = createMemoryRouter([
    { errorElement: <RouteCrash />, children: [{ path: '/', element: <Fragile /> }] },
  ]);
  render(<RouterProvider router={router} />);
  expect(await screen.findByText('Something went wrong')).toBeVisible();
  broken = false;
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('fine again')).toBeVisible();
  jest.mocked(console.error).mockClear();
});

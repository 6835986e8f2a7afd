import { render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { lazyScreen, loadOrReload, page } from './lazy-screen';

const failure = () => Promise.reject(new Error('Failed to fetch dynamically imported module'));

beforeEach(() => {
  jest.spyOn(page, 'reload').mockImplementation();
});

test('shows the screen once it is loaded', async () => {
  const Screen = lazyScreen(() => Promise.resolve({ default: () => <p>here</p> }));
  render(
    <Suspense fallback="loading">
      <Screen />
    </Suspense>,
  );
  expect(await screen.findByText('here')).toBeVisible();
});

test('reloads the page once when the screen is gone from the server', async () => {
  void loadOrReload(failure);
  await Promise.resolve();
  await Promise.resolve();
  expect(page.reload).toHaveBeenCalledTimes(1);
  await expect(loadOrReload(failure)).rejects.toThrow('Failed to fetch');
  expect(page.reload).toHaveBeenCalledTimes(1);
});

test('a failed head start is no error', async () => {
  const load = jest.fn(failure);
  lazyScreen(load).preload();
  await Promise.resolve();
  expect(load).toHaveBeenCalled();
  expect(page.reload).not.toHaveBeenCalled();
});

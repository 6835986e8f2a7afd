/** Per-file test setup: matchers, the fake network, and the rule that nothing logs an error. */
import '@testing-library/jest-dom';
import { cleanup, configure } from '@testing-library/react';
import { toHaveNoViolations } from 'jest-axe';
import { server } from './server';

expect.extend(toHaveNoViolations);

// A busy machine may take seconds to load a screen for the first time; waiting costs nothing else.
configure({ asyncUtilTimeout: 30_000 });

let consoleError: jest.SpyInstance;

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));

beforeEach(() => {
  consoleError = jest.spyOn(console, 'error');
});

afterEach(() => {
  cleanup();
  server.resetHandlers();
  window.localStorage.clear();
  window.sessionStorage.clear();
  // A test that expects an error to be logged replaces the spy with a mock of its own.
  const unexpected = consoleError.mock.calls;
  consoleError.mockRestore();
  expect(unexpected).toEqual([]);
});

afterAll(() => server.close());

/** The fake network of all tests. Handlers are given per test with `server.use(…)`. */
import { setupServer } from 'msw/node';

export const server = setupServer();

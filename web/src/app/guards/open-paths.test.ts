import { isOpenPath } from './open-paths';

test.each([
  '/',
  '/waitlist',
  '/signin',
  '/signup',
  '/auth/callback',
  '/auth/magic',
  '/terms',
  '/privacy',
  '/api/v1/prompts',
  '/static/logo.svg',
  '/health',
  '/metrics',
  '/docs',
  '/docs/sdk',
  '/Waitlist',
])('%s stays open', (path) => {
  expect(isOpenPath(path)).toBe(true);
});

test.each([
  '/dashboard',
  '/prompts',
  '/apiary',
  '/docsomething',
  '/healthcare',
  '/authors',
  '/a/b',
])('%s is gated', (path) => {
  expect(isOpenPath(path)).toBe(false);
});

import { paths } from '@/config/paths';
import { makeUser } from '@/testing/auth-server';
import { isNewUser, startPath } from './new-user';

const created_at = '2026-11-20T08:00:00.000Z';

test('someone whose first sign-in follows the account by seconds is new', () => {
  expect(isNewUser(makeUser({ created_at, last_sign_in_at: '2026-11-20T08:00:10.000Z' }))).toBe(
    true,
  );
  expect(isNewUser(makeUser({ created_at, last_sign_in_at: '2026-11-20T08:00:10.001Z' }))).toBe(
    false,
  );
});

test('someone who was never shown around is new', () => {
  expect(isNewUser(makeUser({ user_metadata: {} }))).toBe(true);
});

test('the page someone came for wins over the usual start', () => {
  expect(startPath(makeUser(), '/prompts')).toBe('/prompts');
  expect(startPath(makeUser(), undefined)).toBe(paths.dashboard.getHref());
  expect(startPath(makeUser({ user_metadata: {} }), undefined)).toBe(paths.newUserStart.getHref());
});

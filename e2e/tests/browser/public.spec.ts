/** What anyone may read, and the waitlist. */
import { newEmail } from '../../harness/accounts.ts';
import { expect, test } from '../../harness/browser.ts';

test('the landing page says what the product is', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Ship AI like Wildfire');
  await expect(page.locator('#features').getByRole('heading', { level: 3 })).toHaveCount(6);
  for (const text of [
    'Ready to Ship AI Products Faster?',
    'No credit card required',
    'Deploy in under 5 minutes',
  ]) {
    await expect(page.getByText(text).first()).toBeVisible();
  }
});

test('joining the waitlist', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Join Waitlist' }).first().click();
  await expect(page).toHaveURL('/waitlist');
  const join = page.getByRole('button', { name: 'Join Waitlist' });
  await expect(join).toBeDisabled();
  await page.getByRole('textbox').fill(newEmail('waiting'));
  await join.click();
  await expect(page.getByRole('heading', { name: "You're in." })).toBeVisible();
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await expect(page).toHaveURL('/');
});

test('no link of the public pages is dead', async ({ page, request }) => {
  const seen = new Set<string>();
  for (const path of [
    '/',
    '/waitlist',
    '/signin',
    '/signup',
    '/auth/magic',
    '/terms',
    '/privacy',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    for (const link of links) {
      const { origin, pathname, hash } = new URL(link);
      if (origin !== new URL(page.url()).origin) continue;
      if (hash !== '') await expect(page.locator(hash)).toBeAttached();
      seen.add(pathname);
    }
  }
  for (const path of seen) {
    const answer = await request.get(path);
    expect(answer.status(), path).toBe(200);
    if ((await answer.text()).includes('<div id="root"')) {
      await page.goto(path);
      // An unknown address would have led to the landing page.
      if (path !== '/') await expect(page).not.toHaveURL('/');
    }
  }
});

test('an unknown address leads to the landing page', async ({ page }) => {
  await page.goto('/this/does/not/exist/at/all');
  await expect(page).toHaveURL('/');
});

test('the documentation is there', async ({ page }) => {
  await page.goto('/docs');
  await expect(page.getByRole('heading').first()).toBeVisible();
});

import type { Page } from '@playwright/test';
import { expect, memberTest, test } from '../../harness/browser.ts';

const background = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

test('the theme follows the system until one is chosen', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  const light = await background(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => background(page)).not.toBe(light);
  const dark = await background(page);

  await page.getByRole('radio', { name: 'Light' }).check({ force: true });
  await expect.poll(() => background(page)).toBe(light);
  await page.reload();
  expect(await background(page)).toBe(light);
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await expect.poll(() => background(page)).toBe(dark);
});

memberTest('the account menu changes the theme', async ({ page, account }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/dashboard');
  await page.getByRole('button', { name: `Account of ${account.email}` }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveClass(/\bdark\b/);
  await page.reload();
  await expect(page.locator('html')).toHaveClass(/\bdark\b/);
});

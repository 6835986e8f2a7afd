import type { Page } from '@playwright/test';
import { expect, memberTest, switchTheme, test } from '../../harness/browser.ts';

const background = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

test('the theme follows the system until one is chosen', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  const light = await background(page);
  await switchTheme(page, 'dark');
  const dark = await background(page);
  expect(dark).not.toBe(light);

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

test.describe('with motion', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('a switch of the theme fades nothing', async ({ page }) => {
    await switchTheme(page, 'light');
    await page.goto('/signin');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await switchTheme(page, 'light');
    // Whatever began to move with the switch would be there in the moment after it.
    const moving = await page.evaluate(() => {
      localStorage.setItem('wildfire-theme', 'dark');
      dispatchEvent(new StorageEvent('storage', { key: 'wildfire-theme' }));
      return document.getAnimations().length;
    });
    expect(moving).toBe(0);
    await expect(page.locator('html')).toHaveClass(/\bdark\b/);
  });
});

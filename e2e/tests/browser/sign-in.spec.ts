/** Every way in, and the ways that stay closed. */
import type { Page } from '@playwright/test';
import { newEmail } from '../../harness/accounts.ts';
import { expect, memberTest, test } from '../../harness/browser.ts';
import { codeOf, linkOf, takeMail } from '../../harness/mailbox.ts';
import { stack } from '../../harness/stack.ts';

async function askForCode(page: Page, email: string): Promise<void> {
  await page.getByRole('tab', { name: 'One-Time Code' }).click();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByLabel('6-digit code')).toBeVisible();
}

test('a one-time code signs in', async ({ page }) => {
  const email = newEmail();
  await page.goto('/auth/magic');
  await askForCode(page, email);
  const code = codeOf(await takeMail(email));
  const verify = page.getByRole('button', { name: 'Verify code' });
  // Anything but a digit is dropped, and only six of them can be sent.
  await page.getByLabel('6-digit code').fill(`${code.slice(0, 5)}x`);
  await expect(page.getByLabel('6-digit code')).toHaveValue(code.slice(0, 5));
  await expect(verify).toBeDisabled();
  await page.getByLabel('6-digit code').fill(code);
  await verify.click();
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('button', { name: `Account of ${email}` })).toBeVisible();
});

test('a wrong code is refused, and the right one still works', async ({ page, complaints }) => {
  complaints.expect(/auth\/v1\/verify/);
  const email = newEmail();
  await page.goto('/auth/magic?next=/playground');
  await askForCode(page, email);
  const code = codeOf(await takeMail(email));
  const wrong = code === '000000' ? '111111' : '000000';
  await page.getByLabel('6-digit code').fill(wrong);
  await page.getByRole('button', { name: 'Verify code' }).click();
  await expect(page.getByRole('alert')).toHaveText('Invalid or expired code');
  await page.getByLabel('6-digit code').fill(code);
  await page.getByRole('button', { name: 'Verify code' }).click();
  await expect(page).toHaveURL('/playground');
});

test('a link works once', async ({ page, browser, complaints }) => {
  const email = newEmail();
  await page.goto('/signin');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send magic link' }).click();
  await expect(page.getByText('Check your email')).toBeVisible();
  const link = linkOf(await takeMail(email));
  await page.goto(link);
  await expect(page).toHaveURL('/dashboard');

  complaints.expect(/auth\/v1\/(verify|token)/);
  const other = await browser.newContext();
  const second = await other.newPage();
  await second.goto(link);
  await expect(second).toHaveURL(/\/signin\?error=invalid_link$/);
  await expect(second.getByRole('alert')).toContainText('This link is invalid or has expired.');
  await other.close();
});

test('the mailbox page shows the mail, its code and its link', async ({
  page,
  context,
  complaints,
}) => {
  // The frame with the mail runs no scripts, also not the browser driver's.
  complaints.expect(/Blocked script execution in .*\/view\//);
  const email = newEmail('mailbox');
  await page.goto('/signup');
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send magic link' }).click();
  await expect(page.getByText('Check your email')).toBeVisible();
  await page.goto(stack().mail);
  await page.getByRole('link').filter({ hasText: email }).click();
  await expect(page.getByRole('article').getByText(/^\d{6}$/)).toBeVisible();
  const opening = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Open link' }).click();
  await expect(await opening).toHaveURL(`${stack().app}/dashboard`);
});

for (const path of [
  '/dashboard',
  '/prompts',
  '/prompts/new',
  '/prompts/1/edit',
  '/playground?prompt=a',
]) {
  test(`${path} is closed to visitors`, async ({ page }) => {
    await page.goto(path);
    await expect(page).toHaveURL(`/signin?next=${encodeURIComponent(path)}`);
    await expect(page.getByRole('heading', { name: 'Sign in to Wildfire' })).toBeVisible();
  });
}

test('signing in leads back to where one wanted to go, on this site only', async ({ page }) => {
  for (const [next, target] of [
    ['/prompts?tag=email', '/prompts?tag=email'],
    ['//evil.example/x', '/dashboard'],
  ] as const) {
    const email = newEmail();
    await page.goto(`/signin?next=${encodeURIComponent(next)}`);
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Send magic link' }).click();
    await expect(page.getByText('Check your email')).toBeVisible();
    await page.goto(linkOf(await takeMail(email)));
    await expect(page).toHaveURL(target);
    await page.getByRole('button', { name: `Account of ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible();
  }
});

test('the keyboard alone signs in', async ({ page }) => {
  const email = newEmail();
  await page.goto('/signin');
  await expect(page.getByRole('heading', { name: 'Sign in to Wildfire' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, 'Email');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Check your email')).toBeVisible();

  await page.goto('/auth/magic');
  await expect(page.getByRole('tab', { name: 'Magic Link' })).toBeVisible();
  await tabTo(page, 'Magic Link');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'One-Time Code' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await takeMail(email);
  const second = newEmail();
  await tabTo(page, 'Email');
  await page.keyboard.type(second);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('6-digit code')).toBeVisible();
  await tabTo(page, '6-digit code');
  await page.keyboard.type(codeOf(await takeMail(second)));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/dashboard');
});

/** Presses Tab until the control with this name has the focus; every stop must show its focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = page.locator(':focus');
    if ((await focused.count()) === 0) continue;
    const outline = await focused.evaluate((element) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      const label = element.closest('label, .template-editor-host');
      const around = label ? getComputedStyle(label).outlineStyle : 'none';
      return (
        (outlineStyle !== 'none' && outlineWidth !== '0px') ||
        boxShadow !== 'none' ||
        around !== 'none'
      );
    });
    expect(
      outline,
      `the focus is visible on ${await focused.evaluate((e) => e.outerHTML.slice(0, 120))}`,
    ).toBe(true);
    if (await focused.and(page.getByLabel(name, { exact: true })).count()) return;
    if (await focused.and(page.getByRole('tab', { name, exact: true })).count()) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

memberTest('the sign-in page sends the signed-in on', async ({ page }) => {
  await page.goto('/signin?next=/prompts');
  await expect(page).toHaveURL('/prompts');
});

memberTest('signing out in one tab closes the other', async ({ context, account }) => {
  const [first, second] = [await context.newPage(), await context.newPage()];
  await first.goto('/dashboard');
  await second.goto('/prompts');
  await expect(second.getByText('No prompts yet')).toBeVisible();
  await first.getByRole('button', { name: `Account of ${account.email}` }).click();
  await first.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(first).toHaveURL('/');
  await expect(second).toHaveURL(/\/signin\?next=%2Fprompts$/);
});

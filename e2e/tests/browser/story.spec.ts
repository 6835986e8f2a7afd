/** The product from end to end, as one person sees it. */
import { newEmail } from '../../harness/accounts.ts';
import { SAMPLE, expect, navigate, test, writeTemplate } from '../../harness/browser.ts';
import { linkOf, takeMail } from '../../harness/mailbox.ts';

test('a visitor signs in, writes a prompt, compiles it, changes it and signs out', async ({
  page,
}) => {
  const email = newEmail();

  await test.step('from the landing page to the sign-in', async () => {
    await page.goto('/');
    await expect(page.getByText('Now in beta!')).toBeVisible();
    await page.getByRole('link', { name: 'Get Started' }).first().click();
    // The dashboard is for the signed-in, who come back to it.
    await expect(page).toHaveURL(/\/signin\?next=%2Fdashboard$/);
  });

  await test.step('by the link of a mail to the dashboard', async () => {
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Send magic link' }).click();
    await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
    await expect(page.getByText('The link expires in 15 minutes.')).toBeVisible();
    await page.goto(linkOf(await takeMail(email)));
    await expect(page).toHaveURL('/dashboard');
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  });

  await test.step('where all numbers are real', async () => {
    // A busy machine may answer slowly for a moment, and the page asks again only now and then.
    await expect(async () => {
      const well = page.getByText('All systems operational');
      if (!(await well.isVisible())) await page.reload();
      // Long enough for a slow answer: a reload throws away the one that is under way.
      await expect(well).toBeVisible({ timeout: 30_000 });
    }).toPass();
    await expect(numberOf('Total Prompts')).toHaveText('0');
    await expect(numberOf('Versions')).toHaveText('0');
    await expect(page.getByText('No prompts yet')).toBeVisible();
  });

  await test.step('creating a prompt', async () => {
    await page.getByRole('link', { name: 'Create your first prompt' }).click();
    await page.getByLabel('Name').fill(SAMPLE.name);
    await expect(page.getByLabel('Key')).toHaveValue(SAMPLE.key);
    await page.getByLabel('Description').fill(SAMPLE.description);
    await writeTemplate(page, SAMPLE.template);
    for (const tag of SAMPLE.tags) {
      const field = page.getByRole('textbox', { name: 'Tags' });
      await field.fill(tag);
      await field.press('Enter');
    }
    const detected = page.getByLabel('About the template');
    await expect(
      detected.getByRole('listitem').filter({ hasText: /^\{(name|tone)\}$/ }),
    ).toHaveCount(2);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await expect(page).toHaveURL(/\/prompts\/\d+$/);
    await expect(page.getByRole('heading', { level: 1, name: SAMPLE.name })).toBeVisible();
  });
  const detail = page.url();

  await test.step('reading it', async () => {
    await expect(page.getByText(SAMPLE.description)).toBeVisible();
    await expect(page.getByText(`${String(SAMPLE.template.length)} characters`)).toBeVisible();
    await expect(factOf('Current version')).toHaveText('v1');
    await expect(factOf('Total versions')).toHaveText('1');
    await expect(factOf('Content hash')).toHaveText(/^[0-9a-f]{16}$/);
  });

  await test.step('compiling it with variables and system variables', async () => {
    await page.getByRole('link', { name: 'Test in Playground' }).click();
    await expect(page).toHaveURL(`/playground?prompt=${SAMPLE.key}`);
    await page.getByLabel('name', { exact: true }).fill('Grace');
    await page.getByLabel('tone', { exact: true }).fill('{TODAY} friendly');
    await page.getByRole('button', { name: 'Compile Template' }).click();
    const output = page.getByRole('region', { name: 'Compiled text' });
    // Values are data: what looks like a variable in one is left alone.
    await expect(output.locator('pre')).toHaveText(
      /^Hello Grace, today is \d{4}-\d\d-\d\d\. Answer in a \{TODAY\} friendly tone\.$/,
    );
    await expect(output.getByText('Compiled', { exact: true })).toBeVisible();
    await expect(output.getByText('v1', { exact: true })).toBeVisible();
    const system = page.getByRole('region', { name: 'System variables' });
    for (const name of ['TODAY', 'NOW', 'TIMESTAMP', 'DATE', 'TIME']) {
      await expect(system.getByText(`{${name}}`, { exact: true })).toBeVisible();
    }
  });

  await test.step('changing the template, which makes version 2', async () => {
    await page.goto(`${detail}/edit`);
    await expect(page.getByText('No changes')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save Changes' })).toBeDisabled();
    await writeTemplate(page, 'Dear {name}, it is {TIME}.');
    await expect(page.getByText('You have unsaved changes')).toBeVisible();
    await page.getByLabel('What changed').fill('Friendlier greeting');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await expect(page).toHaveURL(detail);
    await expect(factOf('Current version')).toHaveText('v2');
    await expect(page.getByText('Friendlier greeting')).toBeVisible();
  });

  await test.step('restoring version 1, which makes version 3', async () => {
    await page.getByRole('link', { name: 'View All' }).click();
    await expect(page.getByRole('heading', { name: 'Version History' })).toBeVisible();
    const versions = page.getByRole('list', { name: 'Versions' });
    await expect(versions.getByRole('heading')).toHaveCount(2);
    await versions.getByRole('button', { name: /^v1\b/ }).click();
    await versions.getByRole('button', { name: 'Restore v1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore v1' }).click();
    await expect(page.getByText('Restored v1 as version 3')).toBeVisible();
    await expect(
      versions.getByRole('button', { name: /^v3\b.*Restore v1.*Current/ }),
    ).toBeVisible();
    await page.goto(detail);
    await expect(factOf('Current version')).toHaveText('v3');
    await expect(page.getByText(`${String(SAMPLE.template.length)} characters`)).toBeVisible();
  });

  await test.step('the dashboard counts all of it', async () => {
    await navigate(page, 'Dashboard');
    await expect(numberOf('Total Prompts')).toHaveText('1');
    await expect(numberOf('Versions')).toHaveText('3');
    await expect(page.getByRole('link', { name: new RegExp(SAMPLE.name) })).toBeVisible();
  });

  await test.step('archiving it, and taking that back', async () => {
    await navigate(page, 'Prompts');
    await expect(page.getByText('Showing 1 of 1 prompts')).toBeVisible();
    const card = page.getByRole('article', { name: SAMPLE.name });
    await expect(card.getByText('v3')).toBeVisible();
    await expect(card.getByText('+1')).toBeVisible();
    await card.getByRole('button', { name: 'Archive' }).click();
    await expect(card).toBeHidden();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(card).toBeVisible();
  });

  await test.step('finding it by its tag and by a word', async () => {
    await page.getByLabel('Filter by tag').selectOption('support');
    await expect(page.getByRole('article')).toHaveCount(1);
    await page.getByRole('searchbox', { name: 'Search prompts' }).fill('nowhere');
    await expect(page.getByText('No prompts found')).toBeVisible();
    await page.getByRole('button', { name: 'Clear Search' }).click();
    await expect(page.getByRole('article')).toHaveCount(1);
  });

  await test.step('signing out', async () => {
    await page.getByRole('button', { name: `Account of ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('link', { name: 'Sign In' })).toBeVisible();
    await page.goto(detail);
    await expect(page).toHaveURL(/\/signin\?next=/);
  });

  function numberOf(label: string) {
    return page
      .locator('dl > div')
      .filter({ has: page.getByText(label, { exact: true }) })
      .getByRole('definition')
      .first();
  }

  function factOf(label: string) {
    return page
      .getByLabel('About this prompt')
      .locator('dl > div')
      .filter({ has: page.getByText(label, { exact: true }) })
      .getByRole('definition');
  }
});

/** axe on every screen, in both themes and at every width; and nothing scrolls sideways. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { SAMPLE, expect, memberTest, test } from '../../harness/browser.ts';
import type { PromptCaller } from '../../harness/prompts.ts';
import { stack } from '../../harness/stack.ts';

interface Screen {
  name: string;
  path: string;
  /** What there is to do before it is looked at. */
  prepare?: (page: Page) => Promise<void>;
}

const PUBLIC: Screen[] = [
  { name: 'landing', path: '/' },
  { name: 'waitlist', path: '/waitlist' },
  { name: 'sign-in', path: '/signin' },
  { name: 'sign-in after a bad link', path: '/signin?error=invalid_link' },
  { name: 'sign-up', path: '/signup' },
  { name: 'passwordless', path: '/auth/magic' },
  {
    name: 'one-time code',
    path: '/auth/magic',
    prepare: (page) => page.getByRole('tab', { name: 'One-Time Code' }).click(),
  },
  { name: 'terms', path: '/terms' },
  { name: 'privacy', path: '/privacy' },
];

const EMPTY: Screen[] = [
  { name: 'empty dashboard', path: '/dashboard' },
  { name: 'empty list', path: '/prompts' },
];

const member = (id: number): Screen[] => [
  { name: 'dashboard', path: '/dashboard' },
  { name: 'prompt list', path: '/prompts' },
  { name: 'nothing found', path: '/prompts?q=nowhere' },
  { name: 'create prompt', path: '/prompts/new' },
  {
    name: 'create prompt with errors',
    path: '/prompts/new',
    prepare: (page) => page.getByRole('button', { name: 'Create', exact: true }).click(),
  },
  { name: 'prompt', path: `/prompts/${String(id)}` },
  {
    name: 'prompt with its menu',
    path: `/prompts/${String(id)}`,
    prepare: (page) => page.getByRole('button', { name: 'Actions' }).click(),
  },
  { name: 'edit', path: `/prompts/${String(id)}/edit` },
  { name: 'versions', path: `/prompts/${String(id)}/versions` },
  {
    name: 'restore dialog',
    path: `/prompts/${String(id)}/versions`,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^v1\b/ }).click();
      await page.getByRole('button', { name: 'Restore v1' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'playground with output',
    path: `/playground?prompt=${SAMPLE.key}`,
    prepare: async (page) => {
      await page.getByLabel('name', { exact: true }).fill('Grace');
      await page.getByRole('button', { name: 'Compile Template' }).click();
      await page.getByRole('region', { name: 'Compiled text' }).waitFor();
    },
  },
  {
    name: 'command palette',
    path: '/dashboard',
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
];

/** Opens a screen and waits until it shows what it loaded. */
async function open(page: Page, { path, prepare }: Screen): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
  await page.waitForLoadState('networkidle');
  await prepare?.(page);
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id}: ${help}\n${target.join(' ')}\n${failureSummary ?? ''}`,
    ),
  );
}

async function checkAll(page: Page, screens: readonly Screen[]): Promise<void> {
  for (const screen of screens) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await open(page, screen);
      expect.soft(await violations(page), `${screen.name}, ${colorScheme}`).toEqual([]);
    }
  }
}

/** Every screen at the narrowest width there is; the page itself never scrolls sideways. */
async function checkWidth(page: Page, screens: readonly Screen[]): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const screen of screens) {
    await open(page, screen);
    const { scroll, client } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      client: document.documentElement.clientWidth,
    }));
    expect.soft(scroll, `${screen.name} is as wide as the window`).toBeLessThanOrEqual(client);
  }
}

async function twoVersions(prompts: PromptCaller): Promise<number> {
  const { id } = await prompts.create(SAMPLE);
  const version = {
    template: 'Dear {name}, it is {TIME}.',
    metadata: { description: 'Friendlier' },
  };
  await prompts.call(201, `/prompts/${String(id)}/versions`, { method: 'POST', body: version });
  return id;
}

test('public screens have no violation', async ({ page }) => {
  await checkAll(page, PUBLIC);
});

test('public screens fit into 320 pixels', async ({ page, isMobile }) => {
  test.skip(isMobile, 'sets its own width');
  await checkWidth(page, PUBLIC);
});

memberTest('empty screens have no violation', async ({ page }) => {
  await checkAll(page, EMPTY);
});

memberTest('a member’s screens have no violation', async ({ page, prompts }) => {
  test.slow();
  await checkAll(page, member(await twoVersions(prompts)));
});

memberTest('a member’s screens fit into 320 pixels', async ({ page, prompts, isMobile }) => {
  test.skip(isMobile, 'sets its own width');
  await checkWidth(page, [...EMPTY, ...member(await twoVersions(prompts))]);
});

test('the mailbox has no violation', async ({ page }) => {
  await checkAll(page, [{ name: 'mailbox', path: stack().mail }]);
});

test('the menu of a small screen closes after a choice', async ({ page, isMobile }) => {
  test.skip(!isMobile, 'wide screens have no menu');
  await page.goto('/');
  await page.getByRole('button', { name: 'Open menu' }).click();
  expect(await violations(page)).toEqual([]);
  await page
    .getByRole('navigation', { name: 'Menu' })
    .getByRole('link', { name: 'Playground' })
    .click();
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible();
  await expect(page).toHaveURL(/\/signin\?next=%2Fplayground$/);
});

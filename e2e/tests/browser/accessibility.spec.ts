/** axe on every screen, in both themes and at both widths; and nothing scrolls sideways. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import {
  SAMPLE,
  expect,
  memberTest,
  switchTheme,
  templateField,
  test,
} from '../../harness/browser.ts';
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

/** With one prompt of two versions. */
const MEMBER: Screen[] = [
  { name: 'dashboard', path: '/dashboard' },
  { name: 'prompt list', path: '/prompts' },
  { name: 'nothing found', path: '/prompts?q=nowhere' },
  { name: 'create prompt', path: '/prompts/new' },
  {
    name: 'create prompt with errors',
    path: '/prompts/new',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('alert').first().waitFor();
    },
  },
  { name: 'prompt', path: '/prompts/:id' },
  {
    name: 'prompt with its menu',
    path: '/prompts/:id',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  { name: 'edit', path: '/prompts/:id/edit' },
  { name: 'versions', path: '/prompts/:id/versions' },
  { name: 'a version', path: '/prompts/:id/versions/v1' },
  { name: 'compare', path: '/prompts/:id/compare?from=1&to=2' },
  {
    name: 'restore dialog',
    path: '/prompts/:id/versions',
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
  await expect(page.locator('.animate-pulse')).toHaveCount(0);
  // The code editor takes the place of a text area once it is loaded.
  if ((await templateField(page).count()) > 0) await page.locator('.cm-content').waitFor();
  await prepare?.(page);
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) =>
      [`${id}: ${help}`, target.join(' '), failureSummary].join('\n'),
    ),
  );
}

/** Both themes, and the narrowest window there is. */
async function check(page: Page, screen: Screen): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await open(page, screen);
  await switchTheme(page, 'light');
  expect.soft(await violations(page), 'light').toEqual([]);
  await switchTheme(page, 'dark');
  expect.soft(await violations(page), 'dark').toEqual([]);
  await expectNoSidewaysScroll(page, screen.name);
}

/** In the narrowest window there is, the page itself never scrolls sideways. */
async function expectNoSidewaysScroll(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect.soft(scroll, `${name} fits into 320 pixels`).toBeLessThanOrEqual(client);
}

for (const screen of PUBLIC) {
  test(screen.name, ({ page }) => check(page, screen));
}

test('mailbox', ({ page }) => check(page, { name: 'mailbox', path: stack().mail }));

for (const screen of EMPTY) {
  memberTest(screen.name, ({ page }) => check(page, screen));
}

for (const { name, path, prepare } of MEMBER) {
  memberTest(name, async ({ page, prompts }) => {
    const { id } = await prompts.create(SAMPLE);
    const version = {
      template: 'Dear {name}, it is {TIME}.',
      metadata: { description: 'Friendlier' },
    };
    await prompts.call(201, `/prompts/${String(id)}/versions`, { method: 'POST', body: version });
    await check(page, { name, path: path.replace(':id', String(id)), ...(prepare && { prepare }) });
  });
}

/** As long as names, keys and tags may be, without a place to break. */
const LONGEST = {
  name: 'n'.repeat(120),
  key: 'k'.repeat(64),
  description: 'd'.repeat(1000),
  template: `{${'v'.repeat(64)}} ${'t'.repeat(300)}`,
  tags: Array.from({ length: 20 }, (_, index) => `${'g'.repeat(30)}${String(10 + index)}`),
};

memberTest('the longest names fit into a phone', async ({ page, prompts }) => {
  const { id } = await prompts.create(LONGEST);
  const paths = ['/dashboard', '/prompts', `/playground?prompt=${LONGEST.key}`];
  for (const part of ['', '/edit', '/versions']) {
    paths.push(`/prompts/${String(id)}${part}`);
  }
  for (const path of paths) {
    await open(page, { name: path, path });
    await expectNoSidewaysScroll(page, path);
  }
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

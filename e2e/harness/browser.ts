/** The browser tests' `test`: a page that may not complain, and people who are signed in. */
import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { newAccount, type Account } from './accounts.ts';
import { PromptCaller } from './prompts.ts';
import { stack } from './stack.ts';

/** Where the app keeps the session (web/src/lib/supabase.ts). */
const SESSION_KEY = 'wildfire-auth-token';

/** What went wrong in a page, and what of it a test expects. */
class Complaints {
  readonly #heard: string[] = [];
  readonly #expected: RegExp[] = [];

  hear(complaint: string): void {
    this.#heard.push(complaint);
  }

  /** A refusal this test provokes: it may show up as a failed request and in the console. */
  expect(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  get unexpected(): string[] {
    return this.#heard.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }
}

function listen(page: Page, complaints: Complaints): void {
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    complaints.hear(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => {
    complaints.hear(`uncaught: ${error.stack ?? error.message}`);
  });
  page.on('requestfailed', (request) => {
    // A request given up because the page moved on is no failure.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') complaints.hear(`request: ${request.url()} ${reason}`);
  });
  page.on('response', (response) => {
    if (response.status() < 400) return;
    complaints.hear(`answer: ${String(response.status())} ${response.url()}`);
  });
}

interface Fixtures {
  complaints: Complaints;
  lastingToasts: undefined;
}

/** Toasts wait as long as nobody can see them; here they wait until a test has looked. */
function keepToasts(app: string): void {
  if (location.origin === app) Object.defineProperty(document, 'hidden', { get: () => true });
}

/** For visitors without a session. */
export const test = base.extend<Fixtures>({
  baseURL: async ({}, use) => {
    await use(stack().app);
  },
  lastingToasts: [
    async ({ context }, use) => {
      await context.addInitScript(keepToasts, stack().app);
      await use(undefined);
    },
    { auto: true },
  ],
  complaints: [
    async ({ context }, use) => {
      const complaints = new Complaints();
      context.on('page', (page) => {
        listen(page, complaints);
      });
      await use(complaints);
      expect(complaints.unexpected, 'what the pages complained about').toEqual([]);
    },
    { auto: true },
  ],
});

interface Member {
  /** Who is signed in, and nobody else's. */
  account: Account;
  /** The prompt API as that person. */
  prompts: PromptCaller;
}

/** For someone who is signed in when the first page opens. */
export const memberTest = test.extend<Member>({
  account: async ({}, use) => {
    await use(await newAccount());
  },
  prompts: async ({ account }, use) => {
    await use(new PromptCaller(account.session.access_token));
  },
  storageState: async ({ account }, use) => {
    const session = { name: SESSION_KEY, value: JSON.stringify(account.session) };
    await use({ cookies: [], origins: [{ origin: stack().app, localStorage: [session] }] });
  },
});

/** Asks for a theme and waits until the page shows it and nothing on it moves any more. */
export async function switchTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const isSettled = (dark: boolean) => {
    const { classList } = document.documentElement;
    // The mailbox follows the system by CSS alone.
    const isShown = document.getElementById('root') === null || classList.contains('dark') === dark;
    return isShown && document.getAnimations().every(({ playState }) => playState === 'finished');
  };
  await expect
    .poll(() => page.evaluate(isSettled, colorScheme === 'dark'), `the page is ${colorScheme}`)
    .toBe(true);
}

/** Goes to a screen through the navigation, which is a menu on a phone. */
export async function navigate(page: Page, entry: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Open menu' });
  if (await menu.isVisible()) await menu.click();
  await page
    .getByRole('banner')
    .getByRole('link', { name: entry, exact: true })
    .and(page.locator(':visible'))
    .click();
}

/** The template field: a code editor, or the text area that stands in until it is loaded. */
export function templateField(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Template' });
}

/** Types a template into the code editor, once that is there. */
export async function writeTemplate(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').waitFor();
  await templateField(page).fill(text);
  // A list of completions would cover what is clicked next.
  await page.keyboard.press('Escape');
}

/** What a stored prompt looks like in the tests. */
export const SAMPLE = {
  name: 'Customer welcome',
  key: 'customer-welcome',
  description: 'Greets a new customer by name.',
  template: 'Hello {name}, today is {TODAY}. Answer in a {tone} tone.',
  tags: ['onboarding', 'email', 'support', 'greeting'],
};

export { expect };

/** One stack for the whole run, started by the global setup; browsers at two widths, and Node. */
import { defineConfig, type PlaywrightTestConfig } from '@playwright/test';
import { chromium } from './harness/chromium.ts';

type Use = NonNullable<PlaywrightTestConfig['use']>;

const browser: Use = {
  launchOptions: chromium,
  // Animations would make contrast and positions depend on the moment they are measured.
  contextOptions: { reducedMotion: 'reduce' },
  locale: 'en-US',
  timezoneId: 'UTC',
  // No trace: recording one for every test doubles the run; a failure keeps its page and picture.
  trace: 'off',
  screenshot: 'only-on-failure',
  // Only ends what hangs: everything waits for a condition, however busy the machine is.
  actionTimeout: 60_000,
  navigationTimeout: 60_000,
};

export default defineConfig({
  globalSetup: './harness/global-setup.ts',
  outputDir: 'test-results',
  reporter: process.env['CI'] ? [['list'], ['html', { open: 'never' }]] : 'list',
  forbidOnly: Boolean(process.env['CI']),
  fullyParallel: true,
  workers: 2,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  projects: [
    { name: 'api', testDir: 'tests/api' },
    {
      name: 'desktop',
      testDir: 'tests/browser',
      use: { ...browser, viewport: { width: 1280, height: 800 } },
    },
    {
      name: 'phone',
      testDir: 'tests/browser',
      use: { ...browser, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    },
  ],
});

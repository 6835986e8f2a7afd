/** `npm run lighthouse -w e2e`: measures pages of the production build, served by the stack. */
import { defineConfig } from '@playwright/test';
import suite from './playwright.config.ts';

export default defineConfig({
  ...suite,
  workers: 1,
  timeout: 120_000,
  projects: [{ name: 'lighthouse', testDir: 'lighthouse' }],
});

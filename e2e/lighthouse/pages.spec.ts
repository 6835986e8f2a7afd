/** Accessibility and best practices are asserted; performance depends on the machine: printed. */
import { chromium as playwright, expect, test } from '@playwright/test';
import lighthouse, { desktopConfig, type Config } from 'lighthouse';
import { chromium } from '../harness/chromium.ts';
import { freePorts } from '../harness/ports.ts';
import { stack } from '../harness/stack.ts';

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];

async function scores(path: string, config?: Config): Promise<Record<string, number>> {
  const [port = 0] = await freePorts(1);
  const debugging = `--remote-debugging-port=${String(port)}`;
  const browser = await playwright.launch({ ...chromium, args: [...chromium.args, debugging] });
  try {
    const flags = { port, output: 'json', logLevel: 'error', onlyCategories: CATEGORIES } as const;
    const result = await lighthouse(`${stack().app}${path}`, flags, config);
    const categories = Object.entries(result?.lhr.categories ?? {});
    for (const { id, score, title } of Object.values(result?.lhr.audits ?? {})) {
      if (score !== null && score < 0.9) console.log(`  ${id} ${score.toFixed(2)}: ${title}`);
    }
    return Object.fromEntries(
      categories.map(([name, { score }]) => [name, Math.round((score ?? 0) * 100)]),
    );
  } finally {
    await browser.close();
  }
}

for (const path of ['/', '/waitlist']) {
  for (const [device, config] of [
    ['phone', undefined],
    ['desktop', desktopConfig],
  ] as const) {
    test(`${path} on a ${device}`, async () => {
      const found = await scores(path, config);
      console.log(`${path} ${device}`, found);
      expect(found['accessibility']).toBe(100);
      expect(found['best-practices']).toBeGreaterThanOrEqual(95);
    });
  }
}

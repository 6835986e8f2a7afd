/** The system's Chromium: nothing is downloaded for a test run. */
import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumPath =
  process.env['CHROMIUM'] ?? CANDIDATES.find((path) => existsSync(path)) ?? 'chromium';

/** No sandbox (containers run as root) and no traffic of the browser's own. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const chromium = { executablePath: chromiumPath, args: chromiumFlags };

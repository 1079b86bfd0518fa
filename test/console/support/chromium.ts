import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** Debian's package `chromium`; another one is named by CHROMIUM. */
const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Starts it with less priority. */
const executablePath = fileURLToPath(new URL('chromium.sh', import.meta.url));

/** @throws Error that says how to install Chromium when there is none. */
export function launchChromium(): Promise<Browser> {
  if (!existsSync(program))
    throw new Error(
      `The console needs Chromium for its tests, and there is none at ${program}. Install it (Debian: apt-get install chromium), or name it: CHROMIUM=/path/to/chrome`,
    );
  return chromium.launch({
    executablePath,
    // Without the last ones, Chromium looks for hosts of its maker at every start.
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}

import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { findChromium, installHint } from './find.ts';

const executablePath = fileURLToPath(new URL('with-less-priority.sh', import.meta.url));

/** @throws Error that says how to install a browser when there is none. */
export async function launchChromium(): Promise<Browser> {
  const found = findChromium();
  if (!found) throw new Error(`The console needs a browser for its tests, and there is none: ${installHint}.`);
  const { program, env } = await found();
  return chromium.launch({
    executablePath,
    // The order of the fields of a date is that of the browser's language.
    env: { ...process.env, LANG: 'en_US.UTF-8', LANGUAGE: 'en_US', ...env, CHROMIUM: program },
    // Without the last ones, Chromium looks for hosts of its maker at every start.
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}

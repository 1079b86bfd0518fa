import { existsSync } from 'node:fs';
import { Launcher } from 'chrome-launcher';
import { type ChromiumProgram, hasBundled, unpackBundled } from './bundled.ts';

/** What to do where there is no browser. */
export const installHint = 'install Chrome or Chromium, or name its program: CHROMIUM=/path/to/chrome';

/**
 * Finds the browser for the tests of the console: the program that CHROMIUM names, the one that came with `npm ci` (Linux
 * on x64), or one that is installed. Null if there is none.
 *
 * @returns a function that makes the browser ready to start
 */
export function findChromium(): (() => Promise<ChromiumProgram>) | null {
  const named = process.env.CHROMIUM;
  if (named) return async () => installed(named);
  if (hasBundled) return unpackBundled;
  const [program] = installedPrograms();
  return program === undefined ? null : async () => installed(program);
}

function installed(program: string): ChromiumProgram {
  if (!existsSync(program)) throw new Error(`CHROMIUM names ${program}, which does not exist: ${installHint}.`);
  return { program, env: {} };
}

function installedPrograms(): string[] {
  try {
    return Launcher.getInstallations();
  } catch (error) {
    // How it says on Linux that there is none.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_LAUNCHER_PATH_NOT_SET') return [];
    throw error;
  }
}

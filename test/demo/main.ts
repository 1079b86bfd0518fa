import { fileURLToPath } from 'node:url';
import { demonstrate } from './demo.ts';
import { DemoError } from './demo-error.ts';
import { Gateway } from './gateway.ts';
import { createScreen } from './screen.ts';
import { readSettings } from './settings.ts';

/** The exit code of a program that was ended by Ctrl-C (128 + SIGINT). */
const interruptedCode = 130;
/** One Ctrl-C may arrive twice: from the terminal and from npm. */
const sameKeyMs = 1_000;

const interrupt = new AbortController();
const screen = createScreen(process.stdout);

let interruptedMs = 0;
process.on('SIGINT', () => {
  if (interrupt.signal.aborted) {
    // A second Ctrl-C does not wait until the accounts are deleted.
    if (performance.now() - interruptedMs > sameKeyMs) process.exit(interruptedCode);
    return;
  }
  interruptedMs = performance.now();
  screen.line();
  screen.line('Interrupted; deleting the accounts of this demo …');
  interrupt.abort();
});
process.on('SIGTERM', () => interrupt.abort());

try {
  try {
    // As the gateway does, because .env may set ADMIN_TOKEN, PORT and DATA_DIR.
    process.loadEnvFile(fileURLToPath(new URL('../../.env', import.meta.url)));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  await demonstrate({ gateway: new Gateway(await readSettings(process.env)), screen, signal: interrupt.signal });
} catch (error) {
  screen.status('');
  if (interrupt.signal.aborted) process.exitCode = interruptedCode;
  else {
    process.exitCode = 1;
    console.error(error instanceof DemoError ? `\n${error.message}\n` : error);
  }
}

import { fileURLToPath } from 'node:url';
import { demonstrate } from './demo.ts';
import { DemoError } from './demo-error.ts';
import { Gateway } from './gateway.ts';
import { createScreen } from './screen.ts';
import { readSettings } from './settings.ts';

/** What shells expect of a program that Ctrl-C ended. */
const interruptedCode = 130;
/** One Ctrl-C may arrive twice: from the terminal, and passed on by npm. */
const sameKeyMs = 1_000;

const interrupt = new AbortController();
const screen = createScreen(process.stdout);

let interruptedMs = 0;
process.on('SIGINT', () => {
  if (interrupt.signal.aborted) {
    // A second one does not wait for the accounts to be deleted.
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
    // As the gateway does: ADMIN_TOKEN, PORT and DATA_DIR may be in there.
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

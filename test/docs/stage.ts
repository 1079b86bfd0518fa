import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminClient } from '../support/admin-client.ts';
import { startConsumer } from '../support/consumer.ts';
import { cleanEnvironment, temporaryFolder } from '../support/gateway-process.ts';
import { copyPrepared } from '../support/prepared.ts';
import { Shell } from './shell.ts';
import { wholeGateway } from './ways.ts';

/** The command of README.md and the quick start, which starts the gateway for all pages. */
export const start = 'npm ci && npm start';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** What the commands of the pages make. A page must not see what the checkout has. */
const made = ['.git', '.data', '.env', '.bench'];
/** With the default schedule the demo would take 40 s. */
const quickSchedule = Array.from({ length: 9 }, () => '1s').join(',');

/** A folder with all files of the project, as links, in which commands may write. */
export function checkout(): string {
  const folder = temporaryFolder();
  for (const name of readdirSync(project).filter((name) => !made.includes(name)))
    symlinkSync(join(project, name), join(folder, name));
  return folder;
}

/** A bash in a checkout, without the settings of the user who runs the tests. */
export function shellIn(cwd: string, env: Record<string, string> = {}): Shell {
  const quiet = { NO_UPDATE_NOTIFIER: '1', NPM_CONFIG_UPDATE_NOTIFIER: 'false' };
  return new Shell({ cwd, env: { ...cleanEnvironment(), ...quiet, ...env }, folder: temporaryFolder('test') });
}

export async function startStage() {
  const folder = checkout();
  /** The data folder of the gateway. */
  const dataDir = join(folder, '.data');
  await ownData(folder);
  const shell = shellIn(folder, { PORT: '0', DELIVERY_SCHEDULE: quickSchedule });
  const gateway = await shell.serve(start);
  const consumer = await startConsumer();
  const stop = async () => {
    const { status, stderr } = await gateway.interrupt();
    await shell.end();
    await consumer.close();
    if (status !== 0) throw new Error(`the gateway ended with status ${status}: ${stderr}`);
  };
  try {
    await gateway.printed(wholeGateway);
    const shown = (pattern: RegExp) => pattern.exec(gateway.output())?.[1] ?? '';
    const baseUrl = shown(/^ {2}Gateway +(http:\S+)$/m);
    const adminToken = shown(/^ {2}Admin token +(\S+)$/m);
    return { baseUrl, adminToken, admin: adminClient(baseUrl, adminToken), dataDir, consumer, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What runs while the commands run: a gateway, started by the command of the README, and a consumer. */
export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Gives a checkout a data folder as after a first start. */
export async function ownData(folder: string): Promise<void> {
  const dataDir = join(folder, '.data');
  mkdirSync(dataDir, { mode: 0o755 });
  await copyPrepared('started', dataDir);
}

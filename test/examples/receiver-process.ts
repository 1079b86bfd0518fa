import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { RoleOutput } from '../support/running-role.ts';

/** How a receiver of examples/ is started. */
export interface ReceiverCommand {
  program: string;
  args: readonly string[];
  /** Its folder below examples/. */
  folder: string;
  /** Arguments of the program for a run before the start, which creates the tables. */
  before?: readonly string[];
}

/** A receiver that runs as a process, with a database of its own. */
export interface Receiver {
  url: string;
  /** What the receiver has stored: the ids of the processed events, and what was paid for each order. */
  stored(): { events: string[]; orders: Record<string, number> };
  stop(): Promise<void>;
}

/** Starts a receiver that accepts these secrets, and waits until it prints its address. */
export async function startReceiver(command: ReceiverCommand, secrets: readonly string[]): Promise<Receiver> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-receiver-'));
  const database = join(folder, 'shop.db');
  const { PATH = '', HOME = '' } = process.env;
  const options = {
    cwd: fileURLToPath(new URL(`../../examples/${command.folder}`, import.meta.url)),
    env: {
      ...{ PATH, HOME, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' },
      ...{ DELIVERY_SECRETS: secrets.join(' '), DATABASE: database, PORT: '0' },
    },
  };
  if (command.before) {
    const { status, stderr } = spawnSync(command.program, command.before, { ...options, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command.before.join(' ')} failed: ${stderr}`);
  }
  const child = spawn(command.program, command.args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = new RoleOutput(`the receiver in examples/${command.folder}`);
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.add('stdout', text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.add('stderr', text));
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      output.end();
      resolve();
    });
  });
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  try {
    const [, origin] = await Promise.race([output.printed(/(http:\/\/127\.0\.0\.1:\d+)/), ended.then(() => [])]);
    return { url: `${origin}/hooks`, stored: () => storedIn(database), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function storedIn(path: string): ReturnType<Receiver['stored']> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const events = database.prepare('select id from processed_events order by id').all();
    const orders = database.prepare('select id, paid from orders').all();
    return {
      events: events.map(({ id }) => String(id)),
      orders: Object.fromEntries(orders.map(({ id, paid }) => [String(id), Number(paid)])),
    };
  } finally {
    database.close();
  }
}

import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import getPort, { clearLockedPorts, portNumbers } from 'get-port';
import type { Log } from '../shared/log.ts';

/** The number of ports from `base` on that are tried before the system chooses one. */
const neighbours = 1_000;

/**
 * A free port of `127.0.0.1`: the first free one of the preferred ports, then one of the thousand from `base` on, then
 * any.
 *
 * The search in the thousand begins at a random port. With the lowest free port, a gateway that starts now could take
 * the port of another gateway's server that is being restarted.
 *
 * `base` should be below 32768, where ephemeral ports of outgoing connections begin. Otherwise, a client that retries
 * a connection to a restarting server can itself get that server's port.
 */
export function freePort(preferred: (number | null)[], base: number): Promise<number> {
  const first = base + randomInt(neighbours);
  return firstFree([
    ...preferred.filter((port) => port !== null),
    ...portNumbers(first, base + neighbours - 1),
    ...portNumbers(base, first),
  ]);
}

/** Whether a server could listen on this port of `127.0.0.1` now. */
export const isPortFree = async (port: number): Promise<boolean> => (await firstFree([port])) === port;

/**
 * Whether a server did not start because another one had its port. That one may have let it go since, so the last lines
 * of the log count as well (those of PostgreSQL with LC_ALL=C, and of Go).
 */
export async function wasPortTaken(ports: readonly number[], lastLines: string): Promise<boolean> {
  if (/address already in use/i.test(lastLines)) return true;
  for (const port of ports) if (!(await isPortFree(port))) return true;
  return false;
}

/** The first free one of these ports; when there is none, one that the system chooses. */
function firstFree(ports: readonly number[]): Promise<number> {
  // get-port does not return a port again within 15 s, but a server that is started again needs its previous one.
  clearLockedPorts();
  return getPort({ host: '127.0.0.1', port: ports });
}

/** The port of this server at its last start, so that bookmarks and tools keep working. Null when there is none. */
export function rememberedPort(folder: string, name: string): number | null {
  try {
    const port = Number(readFileSync(portFile(folder, name), 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65536 ? port : null;
  } catch {
    return null;
  }
}

/** A full or read-only disk is only logged: without the file, the next start looks for a port, and nothing reads the worker's metrics. */
export function rememberPort(folder: string, name: string, port: number, log: Pick<Log, 'warn'>): void {
  const file = portFile(folder, name);
  try {
    writeFileSync(file, `${port}\n`);
  } catch (error) {
    log.warn({ err: error, file, port }, 'port not recorded');
  }
}

const portFile = (folder: string, name: string) => join(folder, `${name}.port`);

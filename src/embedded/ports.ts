import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

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
export async function freePort(preferred: (number | null)[], base: number): Promise<number> {
  for (const port of preferred) if (port !== null && (await isPortFree(port))) return port;
  const first = randomInt(neighbours);
  for (let tried = 0; tried < neighbours; tried += 1) {
    const port = base + ((first + tried) % neighbours);
    if (await isPortFree(port)) return port;
  }
  return await listenOnce(0);
}

/** Whether a server could listen on this port of `127.0.0.1` now. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port);
    return true;
  } catch {
    return false;
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
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

export function rememberPort(folder: string, name: string, port: number): void {
  writeFileSync(portFile(folder, name), `${port}\n`);
}

const portFile = (folder: string, name: string) => join(folder, `${name}.port`);

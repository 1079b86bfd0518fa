import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** How many neighbours of a usual port are tried before one is left to the system. */
const neighbours = 1_000;

/**
 * A free port of `127.0.0.1`: the first of the preferred ones that is, then one of the thousand from `base` on, then any.
 *
 * Among the thousand the search begins at random. A server that died must have its port back, and the lowest free one
 * would be just that: a gateway that starts in this moment would take it away for good.
 *
 * `base` should lie below 32768. From there on systems take the near ends of outgoing connections, and a client that keeps
 * calling a server which is just being restarted can then be given that very port.
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

/** The port that the server of this name had at its last start, so that people's bookmarks and tools keep working. */
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

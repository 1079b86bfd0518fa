import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../listen.ts';

/** The request of a client for TLS: a length of 8, and the code 80877103 (PostgreSQL manual, SSLRequest). */
export const sslRequest = Buffer.from('0000000804d2162f', 'hex');

/** One connection on the side of the server. */
interface Seen {
  /** The bytes that the client has sent so far. */
  sent: Buffer;
}

/** A server, for one test, that records the bytes of its clients. */
export interface RecordingServer {
  seen: Seen[];
  /** The same URL, with this server as host and port. */
  through(url: string, host?: string): string;
  close(): Promise<void>;
}

/** A proxy to a real PostgreSQL that records every connection. */
export function recordedWay(to: string): Promise<RecordingServer> {
  const { hostname, port } = new URL(to);
  return recording((near, seen) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.on('data', (chunk) => {
      seen.sent = Buffer.concat([seen.sent, chunk]);
      far.write(chunk);
    });
    far.pipe(near);
    return far;
  });
}

/**
 * A fake PostgreSQL: it records the first bytes of a client, sends `answer` and, unless that is null, continues to read.
 */
export function fakePostgres(answer: string | null): Promise<RecordingServer> {
  return recording((near, seen) => {
    near.on('error', () => undefined);
    near.on('data', (chunk) => {
      const isFirst = seen.sent.length === 0;
      seen.sent = Buffer.concat([seen.sent, chunk]);
      if (isFirst && answer === null) near.destroy();
      else if (isFirst && answer !== null) near.write(answer);
    });
    return null;
  });
}

async function recording(handle: (near: Socket, seen: Seen) => Socket | null): Promise<RecordingServer> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const entry: Seen = { sent: Buffer.alloc(0) };
    seen.push(entry);
    const far = handle(near, entry);
    for (const socket of far ? [near, far] : [near]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
  });
  const port = await listen(server);
  return {
    seen,
    through(url, host = '127.0.0.1') {
      const through = new URL(url);
      through.host = `${host}:${port}`;
      return through.href;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../support/listen.ts';

/**
 * What happens on the way:
 * - `cut`: connections are reset, and new ones too
 * - `delay`: each piece arrives later by `delayMs`, in both directions
 * - `half-close`: one side's connections are closed, and the other side hears nothing until the fault ends
 */
export type WayFault = { kind: 'cut' } | { kind: 'delay'; delayMs: number } | { kind: 'half-close'; side: Side };
type Side = 'client' | 'server';

interface Pair {
  client: Socket;
  server: Socket;
  /** Set after a half-close: nothing is passed on any more. */
  silent: boolean;
}

/** A TCP proxy on loopback between one process and one server. */
export class TcpProxy {
  readonly #targetPort: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #fault: WayFault | null = null;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#join(client));
  }

  /** Listens on `port`, or on any free one. Returns the port. */
  listen(port = 0): Promise<number> {
    return listen(this.#server, port);
  }

  begin(fault: WayFault): void {
    this.#fault = fault;
    if (fault.kind === 'cut') this.#reset([...this.#pairs]);
    if (fault.kind === 'half-close')
      for (const pair of this.#pairs) {
        pair.silent = true;
        pair[fault.side].end();
      }
  }

  /** Ends the fault. Connections that were half closed are reset: neither side would hear of the other again. */
  end(): void {
    this.#fault = null;
    this.#reset([...this.#pairs].filter(({ silent }) => silent));
  }

  close(): void {
    this.#reset([...this.#pairs]);
    this.#server.close();
  }

  #join(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#fault?.kind === 'cut') return void client.resetAndDestroy();
    const server = connect({ port: this.#targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, server, silent: false };
    this.#pairs.add(pair);
    this.#pass(pair, client, server);
    this.#pass(pair, server, client);
  }

  #pass(pair: Pair, from: Socket, to: Socket): void {
    const inOrder = this.#queue();
    from.on('data', (chunk: Buffer) => {
      inOrder(() => {
        if (pair.silent || to.destroyed) return;
        // A slow reader slows down its writer, as without the proxy.
        if (!to.write(chunk)) from.pause();
      });
    });
    to.on('drain', () => from.resume());
    from.on('end', () => {
      inOrder(() => {
        if (!pair.silent) to.end();
      });
    });
    from.on('error', () => {
      if (!pair.silent) to.resetAndDestroy();
    });
    from.on('close', () => {
      inOrder(() => {
        // After a half-close, the other side is told nothing before the fault ends.
        if (pair.silent) return;
        to.destroy();
        this.#pairs.delete(pair);
      });
    });
  }

  /** Runs works in their order: at once, or after the delay of the fault at that moment. */
  #queue(): (work: () => void) => void {
    let waiting = 0;
    let last = Promise.resolve();
    return (work) => {
      const delayMs = this.#fault?.kind === 'delay' ? this.#fault.delayMs : 0;
      if (delayMs === 0 && waiting === 0) return work();
      const dueMs = performance.now() + delayMs;
      waiting++;
      last = last
        .then(() => sleep(Math.max(0, dueMs - performance.now())))
        .then(() => {
          waiting--;
          work();
        });
    };
  }

  #reset(pairs: Pair[]): void {
    for (const pair of pairs) {
      pair.client.resetAndDestroy();
      pair.server.resetAndDestroy();
      this.#pairs.delete(pair);
    }
  }
}

import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from './listen.ts';

/**
 * What happens on the way:
 * - `cut`: connections are reset, and new ones too
 * - `delay`: each piece arrives later by `delayMs`, in both directions
 * - `half-close`: one side's connections are closed, and the other side hears nothing until the fault ends
 * - `silence`: neither side of the present connections hears anything until the fault ends, as behind a firewall that
 *   dropped them
 */
export type WayFault =
  | { kind: 'cut' | 'silence' }
  | { kind: 'delay'; delayMs: number }
  | { kind: 'half-close'; side: Side };
type Side = 'client' | 'server';

interface Pair {
  client: Socket;
  server: Socket;
  /** Set by a half-close or silence: nothing is passed on any more. */
  silent: boolean;
}

/** A TCP proxy on loopback between one process and one server. */
export class TcpProxy {
  /** Where new connections go. */
  targetPort: number;
  readonly #localAddress: string | undefined;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #fault: WayFault | null = null;

  /** @param localAddress where its connections to the server come from */
  constructor(targetPort: number, localAddress?: string) {
    this.targetPort = targetPort;
    this.#localAddress = localAddress;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#join(client));
  }

  /** Listens on `port`, or on any free one. Returns the port. */
  listen(port = 0): Promise<number> {
    return listen(this.#server, port);
  }

  begin(fault: WayFault): void {
    this.#fault = fault;
    if (fault.kind === 'cut') this.cut();
    if (fault.kind === 'half-close' || fault.kind === 'silence')
      for (const pair of this.#pairs) {
        pair.silent = true;
        if (fault.kind === 'half-close') pair[fault.side].end();
      }
  }

  /** Resets the present connections. */
  cut(): void {
    this.#reset([...this.#pairs]);
  }

  /** Ends the fault. Silent connections are reset: neither side would hear of the other again. */
  end(): void {
    this.#fault = null;
    this.#reset([...this.#pairs].filter(({ silent }) => silent));
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#fault?.kind === 'cut') return void client.resetAndDestroy();
    const server = connect({
      ...{ port: this.targetPort, host: '127.0.0.1', localAddress: this.#localAddress },
      ...{ allowHalfOpen: true, noDelay: true },
    });
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
        // The other side of a silent connection is told nothing before the fault ends.
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

import type { Socket } from 'node:net';
import { networkOf } from '../network.ts';
import { ParsingBudget } from './parsing-budget.ts';
import { RequestGate } from './request-gate.ts';

/** A connection is closed when its client reads no byte of a response for this long. */
const stalledMs = 30_000;
/** How often the server checks for unread responses. */
const checkIntervalMs = 1_000;
/** Unread response bytes of all connections together. Beyond it, the connections unread for longest are closed. */
const maxUnreadBytes = 64 * 1024 * 1024;

/** The states of a connection, in the order in which connections are closed for new ones; null means never. */
const standing = { lingering: 0, idle: 1, answering: 2, reading: 3, working: null } as const;
type Standing = keyof typeof standing;

/** One connection of a client. */
export class Connection {
  readonly socket: Socket;
  readonly gate: RequestGate;
  readonly network: string;
  /** When its last request began or ended, on the monotonic clock. */
  sinceMs = performance.now();
  /** Whether its response is a file, whose bytes all clients share. */
  sharesAnswer = false;
  /** Whether it stays open only until the client has read the last response. */
  isLingering = false;
  /** Whether it has sent bytes that are no legal HTTP, or too slowly. */
  isFaulty = false;
  unreadSinceMs: number | null = null;

  constructor(socket: Socket, budget: ParsingBudget) {
    this.socket = socket;
    this.gate = new RequestGate(socket, budget);
    this.network = networkOf(socket.remoteAddress ?? 'unknown');
    const close = socket.destroySoon.bind(socket);
    // Node calls this after the last response.
    socket.destroySoon = () => (this.isLingering ? close() : this.#closeInStages());
  }

  /**
   * Ends the gateway's side of the connection, and closes it when the client has ended its own, after 5 s at most (RFC
   * 9112, section 9.6). Node by itself closes both sides at once, which resets the connection of a client that is still
   * sending.
   */
  #closeInStages(): void {
    this.gate.discard();
    this.socket.end(() => {
      this.isLingering = true;
      void this.gate.discardRest('connection').then(() => this.socket.destroy());
    });
  }

  /**
   * Lets the response that is being prepared be the last one: it says `Connection: close`. Not while the client has sent
   * further requests, which would get no response.
   */
  endAfterResponse(): void {
    const { response } = this.gate;
    if (response !== null && !response.headersSent && !this.gate.hasWaiting) response.shouldKeepAlive = false;
  }

  get standing(): Standing {
    if (this.isLingering) return 'lingering';
    const { request, response } = this.gate;
    if (response === null) return 'idle';
    if (response.headersSent) return 'answering';
    return request?.complete === false ? 'reading' : 'working';
  }
}

/**
 * The connections of a server, at most `MAX_CONNECTIONS`.
 *
 * Beyond that, each new connection replaces an older one. The choice goes by these criteria, in this order:
 *
 * 1. the network (an IPv4 address or an IPv6 /64) with the most connections;
 * 2. the state: lingering, then idle, then sending a response, then receiving a body;
 * 3. the longest time in that state.
 *
 * A request that has arrived completely is never aborted. If there is no other choice, the new connection is closed.
 */
export class Connections {
  readonly #max: number;
  readonly #onLimit: () => void;
  readonly #budget = new ParsingBudget();
  readonly #all = new Map<Socket, Connection>();
  readonly #byNetwork = new Map<string, number>();
  readonly #check: NodeJS.Timeout;

  /** @param onLimit called for each connection that is closed because of the limit. */
  constructor(max: number, onLimit: () => void) {
    this.#max = max;
    this.#onLimit = onLimit;
    this.#check = setInterval(() => this.#closeUnread(), checkIntervalMs).unref();
  }

  /** Adds a connection that Node's HTTP server has just accepted. */
  add(socket: Socket): void {
    this.#budget.accepted();
    if (this.#all.size >= this.#max) {
      this.#onLimit();
      const leaving = this.#mostDispensable();
      if (leaving === null) {
        socket.destroy();
        return;
      }
      this.#remove(leaving);
      leaving.socket.destroy();
    }
    const connection = new Connection(socket, this.#budget);
    this.#all.set(socket, connection);
    this.#byNetwork.set(connection.network, (this.#byNetwork.get(connection.network) ?? 0) + 1);
    socket.once('close', () => this.#remove(connection));
  }

  /** The connection of a socket; null when it is already closed. */
  of(socket: Socket): Connection | null {
    return this.#all.get(socket) ?? null;
  }

  /** Lets the responses that are being prepared be the last ones of their connections. */
  endAfterResponses(): void {
    for (const connection of this.#all.values()) connection.endAfterResponse();
  }

  /** Stops the check for unread responses. */
  stop(): void {
    clearInterval(this.#check);
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection.socket)) return;
    const left = (this.#byNetwork.get(connection.network) ?? 0) - 1;
    if (left > 0) this.#byNetwork.set(connection.network, left);
    else this.#byNetwork.delete(connection.network);
  }

  #mostDispensable(): Connection | null {
    let found: { connection: Connection; key: [number, number, number] } | null = null;
    for (const connection of this.#all.values()) {
      const order = standing[connection.standing];
      if (order === null) continue;
      const key: [number, number, number] = [
        -(this.#byNetwork.get(connection.network) ?? 0),
        order,
        connection.sinceMs,
      ];
      if (found === null || isBefore(key, found.key)) found = { connection, key };
    }
    return found?.connection ?? null;
  }

  #closeUnread(): void {
    const nowMs = performance.now();
    let unreadBytes = 0;
    const unread: Connection[] = [];
    for (const connection of this.#all.values()) {
      const { socket } = connection;
      if (socket.writableLength === 0) {
        connection.unreadSinceMs = null;
        continue;
      }
      if (connection.unreadSinceMs === null) {
        connection.unreadSinceMs = nowMs;
        // Node restarts this timeout with every byte that the client reads, and sets its own after the response.
        socket.setTimeout(stalledMs);
      }
      if (connection.sharesAnswer) continue;
      unreadBytes += socket.writableLength;
      unread.push(connection);
    }
    // The map is ordered by the age of the connections, which is not the order in which they became unread.
    unread.sort((a, b) => (a.unreadSinceMs ?? 0) - (b.unreadSinceMs ?? 0));
    for (const { socket } of unread) {
      if (unreadBytes <= maxUnreadBytes) break;
      unreadBytes -= socket.writableLength;
      socket.destroy();
    }
  }
}

function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const differs = a.findIndex((value, index) => value !== b[index]);
  return differs >= 0 && (a[differs] ?? 0) < (b[differs] ?? 0);
}

import type { Socket } from 'node:net';
import { networkOf } from '../network.ts';
import { RequestGate } from './request-gate.ts';
import { Turns } from './turns.ts';

/** An answer of which the client takes not a byte for this long ends its connection. */
const stalledMs = 30_000;
/** How often unread answers are looked for. */
const lookMs = 1_000;
/** What clients have not taken of answers that are made for them, together: those that wait longest are closed first. */
const maxUnreadBytes = 64 * 1024 * 1024;

/** What a connection is about, in the order in which connections are closed for new ones; null: never. */
const standing = { lingering: 0, idle: 1, answering: 2, reading: 3, working: null } as const;
type Standing = keyof typeof standing;

/** One connection of a client. */
export class Connection {
  readonly socket: Socket;
  readonly gate: RequestGate;
  readonly network: string;
  /** When its last request began or ended. */
  sinceMs = performance.now();
  /** Whether its answer is a file, whose bytes all clients share. */
  sharesAnswer = false;
  /** Whether it only waits for the client to read the last answer. */
  isLingering = false;
  unreadSinceMs: number | null = null;

  constructor(socket: Socket, turns: Turns) {
    this.socket = socket;
    this.gate = new RequestGate(socket, turns);
    this.network = networkOf(socket.remoteAddress ?? 'unknown');
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
 * A connection beyond them takes the place of another one: of the network (an IPv4 address, an IPv6 /64) that has the most,
 * and among those of one that lingers, else of one that is idle, else whose client does not read its answer, else whose
 * body still arrives; of several the one that has been so for longest. A request that has arrived is never given up:
 * where there are no others, the new connection is closed.
 */
export class Connections {
  readonly #max: number;
  readonly #onLimit: () => void;
  readonly #turns = new Turns();
  readonly #all = new Map<Socket, Connection>();
  readonly #byNetwork = new Map<string, number>();
  readonly #look: NodeJS.Timeout;

  /** @param onLimit called for each connection that is closed for the limit. */
  constructor(max: number, onLimit: () => void) {
    this.#max = max;
    this.#onLimit = onLimit;
    this.#look = setInterval(() => this.#closeUnread(), lookMs).unref();
  }

  /** Takes in a connection that Node's HTTP server has just taken over. */
  add(socket: Socket): void {
    this.#turns.accepted();
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
    const connection = new Connection(socket, this.#turns);
    this.#all.set(socket, connection);
    this.#byNetwork.set(connection.network, (this.#byNetwork.get(connection.network) ?? 0) + 1);
    socket.once('close', () => this.#remove(connection));
  }

  /** The connection of a socket; null when it is closed already. */
  of(socket: Socket): Connection | null {
    return this.#all.get(socket) ?? null;
  }

  /** Looks after them no longer. */
  stop(): void {
    clearInterval(this.#look);
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
        // Node restarts this timeout with every byte that the client takes, and sets its own once the answer is sent.
        socket.setTimeout(stalledMs);
      }
      if (connection.sharesAnswer) continue;
      unreadBytes += socket.writableLength;
      unread.push(connection);
    }
    // A map keeps the order of insertion, but the oldest connection is not the one that waits longest.
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

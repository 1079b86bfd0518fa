import type { ServerResponse } from 'node:http';
import type { Database } from '../../database/database.ts';
import type { Log } from '../../shared/log.ts';
import type { EventFilters } from '../event-filters.ts';
import { IncidentChanges, type ReadIncidents } from './incident-changes.ts';
import { boundsOf, type Changes, type Position, readChanges, readPosition } from './read-changes.ts';
import { isPosition, RecentBatches } from './recent-batches.ts';
import { anyCaller, type Batch, type StreamCaller, StreamReader } from './stream-reader.ts';

/** Open streams of one process. With 1 MiB unread each, they need 32 MiB. */
export const maxStreams = 32;
/** Short enough for the eye. */
const intervalMs = 500;
/** The reads of a process keep a connection of the operators' pool busy for at most a tenth of the time. */
const busyShare = 10;
/** While the database is unavailable. */
const errorDelayMs = 2_000;
/** Reads go on for so long after the last stream was closed, so that a client that connects again can resume. */
const lingerMs = 30_000;
const keepAliveMs = 15_000;
/** How often streams are looked at: apart from the reads, which may take seconds, and after what they wrote was sent. */
const tendMs = 1_000;
/** Older events that may change soon stay watched for so long after they were last found. */
const watchedMs = 60_000;
const maxWatched = 5_000;
/** A backlog makes clients load the list again once a minute, not twice a second, and soon after its end. */
const backlogResetMs = 60_000;
const backlogEndMs = 5_000;

/**
 * Reports new and changed events to the open streams of a process. One loop reads the changes for all streams, and only
 * while there are streams: without them, neither ingestion nor deliveries do anything for it.
 */
export class ChangeFeed {
  readonly #database: Pick<Database, 'readers' | 'reader'>;
  readonly #log: Log;
  readonly #lingerMs: number;
  readonly #readerOptions: { stalledMs?: number };
  readonly #readers = new Set<StreamReader>();
  #places = 0;
  #recent: RecentBatches | null = null;
  #position: Position | null = null;
  #watched = new Map<string, number>();
  #bulk = new Set<string>();
  readonly #incidents: IncidentChanges;
  #backlogResetAtMs = Number.NEGATIVE_INFINITY;
  #missedSinceReset = false;
  #keptAliveAtMs = 0;
  #idleSinceMs = 0;
  #running: Promise<void> | null = null;
  #wake: () => void = () => undefined;
  #closed = false;

  /**
   * @param options.lingerMs how long reads go on without a stream; shorter in tests
   * @param options.stalledMs after which a client that does not read is dropped; shorter in tests
   */
  constructor(options: {
    database: Pick<Database, 'readers' | 'reader'>;
    log: Log;
    /** Without it, no incidents are reported. */
    readIncidents?: ReadIncidents;
    lingerMs?: number;
    stalledMs?: number;
  }) {
    this.#database = options.database;
    this.#log = options.log;
    this.#incidents = new IncidentChanges(options.readIncidents ?? (async () => []));
    this.#lingerMs = options.lingerMs ?? lingerMs;
    this.#readerOptions = options.stalledMs === undefined ? {} : { stalledMs: options.stalledMs };
  }

  /** Whether changes are being read. */
  get isReading(): boolean {
    return this.#running !== null;
  }

  /** Takes the place of a stream until the response is closed; false if all are taken or the gateway stops. */
  reserve(response: ServerResponse): boolean {
    if (this.#closed || this.#places >= maxStreams || response.destroyed) return false;
    this.#places += 1;
    response.once('close', () => {
      this.#places -= 1;
    });
    return true;
  }

  /**
   * Makes sure that changes are being read.
   *
   * @throws the database's error.
   */
  async start(): Promise<void> {
    this.#idleSinceMs = performance.now();
    if (this.#running !== null || this.#closed) return;
    const position = await readPosition(this.#database.reader);
    // Another call may have started them in the meantime.
    if (this.#running !== null || this.#closed) return;
    this.#begin(position);
    this.#running = this.#run();
  }

  /** Adds a stream whose place was reserved. @param lastId the `Last-Event-ID` of the client */
  add(response: ServerResponse, filter: EventFilters, lastId: string | null, caller: StreamCaller = anyCaller): void {
    const reader = new StreamReader(response, filter, caller, this.#readerOptions);
    if (this.#closed || this.#position === null) {
      reader.end();
      return;
    }
    const now = this.#position.snapshot;
    const missed = lastId !== null && isPosition(lastId) ? (this.#recent?.after(lastId, now) ?? null) : null;
    // Not yet the present position: a client that loses the connection now has not got the missed changes.
    reader.ready(missed !== null, missed !== null && lastId !== null ? lastId : now);
    if (missed !== null) reader.report(missed);
    this.#readers.add(reader);
    response.once('close', () => {
      this.#readers.delete(reader);
      this.#idleSinceMs = performance.now();
    });
  }

  /** Ends all streams with a message. */
  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader.end();
    this.#wake();
  }

  /** Resolves when no read is in progress any more. Call `close` before. */
  async closed(): Promise<void> {
    await this.#running;
  }

  #begin(position: Position): void {
    this.#position = position;
    this.#recent = new RecentBatches(position.snapshot);
    this.#watched = new Map();
    this.#bulk = new Set();
    this.#incidents.reset();
  }

  async #run(): Promise<void> {
    let failing = false;
    const tending = setInterval(() => this.#tend(), tendMs);
    // The client that it began for may have left since. It is not idle before the first read, because `start` has to note first
    // that it runs.
    do {
      const startMs = performance.now();
      let pauseMs = errorDelayMs;
      try {
        await this.#read();
        const incidents = await this.#incidents.next(this.#database.reader);
        for (const reader of this.#readers) reader.reportIncidents(incidents);
        pauseMs = Math.max(intervalMs, (performance.now() - startMs) * (busyShare - 1));
        failing = false;
      } catch (error) {
        if (!failing) this.#log.warn({ err: error }, 'changes for event streams not read, retrying');
        failing = true;
      }
      if (!this.#closed) await this.#sleep(pauseMs);
    } while (!this.#closed && !this.#isIdle());
    clearInterval(tending);
    this.#running = null;
    this.#recent = null;
    this.#position = null;
    this.#watched.clear();
  }

  #isIdle(): boolean {
    return this.#places === 0 && performance.now() - this.#idleSinceMs > this.#lingerMs;
  }

  async #read(): Promise<void> {
    if (this.#position === null) return;
    const changes = await readChanges(this.#database.readers, this.#position, new Set(this.#watched.keys()));
    // A database that was restored counts its transactions from another number.
    const isOther = boundsOf(changes.to.snapshot).xmax < boundsOf(this.#position.snapshot).xmax;
    if (isOther) this.#begin(changes.to);
    this.#position = changes.to;
    const { events, leftOut } = changes;
    const reset = this.#resetFor(changes, isOther);
    this.#watch(changes.candidates);
    if (events.length === 0 && leftOut === 0 && reset === null) return;
    const batch: Batch = {
      events: isOther ? [] : events,
      leftOut: isOther ? 0 : leftOut,
      reset,
      id: changes.to.snapshot,
    };
    this.#recent?.add(batch);
    for (const reader of this.#readers) reader.report(batch);
  }

  #resetFor({ bulk, crowded }: Changes, isOther: boolean): Batch['reset'] {
    if (isOther) return 'database_changed';
    const isNew = bulk.some((id) => !this.#bulk.has(id));
    this.#bulk = new Set(bulk);
    if (isNew) return 'bulk_operation';
    if (crowded) this.#missedSinceReset = true;
    const nowMs = performance.now();
    const waitMs = crowded ? backlogResetMs : backlogEndMs;
    if (!this.#missedSinceReset || nowMs - this.#backlogResetAtMs < waitMs) return null;
    this.#backlogResetAtMs = nowMs;
    // What is missed from now on needs another one.
    this.#missedSinceReset = crowded;
    return 'backlog';
  }

  #watch(candidates: readonly string[]): void {
    const nowMs = performance.now();
    for (const id of candidates) {
      this.#watched.delete(id);
      this.#watched.set(id, nowMs);
    }
    // The map is in the order of these times.
    for (const [id, atMs] of this.#watched) {
      if (this.#watched.size <= maxWatched && nowMs - atMs <= watchedMs) break;
      this.#watched.delete(id);
    }
  }

  /** Keeps connections alive, and drops clients that do not read. */
  #tend(): void {
    const nowMs = performance.now();
    const keepsAlive = nowMs - this.#keptAliveAtMs >= keepAliveMs;
    if (keepsAlive) this.#keptAliveAtMs = nowMs;
    for (const reader of this.#readers) {
      // First: Node sends what is written in this turn of the event loop only after it.
      reader.check();
      if (keepsAlive && this.#position) reader.keepAlive(this.#position.snapshot);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
    });
  }
}

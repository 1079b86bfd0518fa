import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declaredLength } from '../bodies/body-reader.ts';
import { freeNow } from '../bodies/free-now.ts';
import { Heads } from './heads.ts';
import type { ParsingBudget } from './parsing-budget.ts';
import { startReading, stopReading } from './socket-reading.ts';

/**
 * Parsed requests that may wait for the response to an earlier one of their connection. A piece ends where a head ends,
 * so a request has to wait only if the end of its head arrived in two packets.
 */
const maxWaiting = 8;
/** How long a client that is still sending may take to read its response before the connection is closed. */
const lingerMs = 5_000;

/**
 * Passes the bytes of a connection to Node's HTTP parser, one request at a time. It passes a request only after the
 * previous response is written, and a body only while a handler reads it. All other bytes stay in the socket's buffer.
 * When that buffer is full, TCP flow control makes the client wait.
 *
 * Node's own HTTP server parses every byte of a packet. A client that pipelines a thousand requests in one write would
 * have all of them processed at the same time. The gate therefore replaces the `data` listener of Node's server.
 */
export class RequestGate {
  readonly #socket: Socket;
  readonly #budget: ParsingBudget;
  readonly #parse: (bytes: Buffer) => void;
  /** The response that is being prepared or written. */
  #answer: ServerResponse | null = null;
  readonly #waiting: { response: ServerResponse; start: () => void }[] = [];
  /** The request whose head was parsed last. */
  #request: IncomingMessage | null = null;
  /** The bytes of its body that the parser has not received yet; null for a chunked body, whose length is unknown. */
  #bodyLeft: number | null = null;
  readonly #heads = new Heads();
  #waitsForBudget = false;
  /** Whether the next bytes were already read once and put back. */
  #hasPutBack = false;
  /** The memory of the bytes that were put back, if it holds nothing else. */
  #ownMemory: ArrayBufferLike | null = null;
  #hasBudget = false;
  #discarded: ((bytes: Buffer) => void) | null = null;
  /** Whether no request may follow the one whose head was parsed last. */
  #isLast = false;

  /** @param socket a connection that Node's HTTP server has just accepted. */
  constructor(socket: Socket, budget: ParsingBudget) {
    this.#socket = socket;
    this.#budget = budget;
    const [parse] = socket.listeners('data');
    if (parse === undefined) throw new Error("Node's HTTP server does not listen for data of its connections");
    this.#parse = (bytes) => Reflect.apply(parse, socket, [bytes]);
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('drain', () => this.#resume());
    socket.on('resume', () => startReading(socket));
  }

  /** The request whose head was parsed last. */
  get request(): IncomingMessage | null {
    return this.#request;
  }

  get response(): ServerResponse | null {
    return this.#answer;
  }

  /** Whether further requests were parsed, which wait for the response to this one. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Calls `start` for a request once the responses to the earlier ones are written. */
  enter(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    this.#request = request;
    this.#isLast = asksForUpgrade(request);
    this.#bodyLeft = this.#heads.bodyLeft(declaredLength(request));
    if (this.#answer === null) this.#begin(response, start);
    else if (this.#waiting.push({ response, start }) > maxWaiting) this.#socket.destroy();
  }

  /** Parses no more bytes of the client. */
  discard(): void {
    this.#discarded = () => undefined;
  }

  /**
   * Discards the bytes that the client still sends, for 5 s at most, so that the client can read its response. Closing a
   * connection with unread bytes resets it, and the client then loses the response.
   *
   * @param until what ends the wait: the end of the body, or of the connection, after which no byte may be lost. The
   *   client can end it in both cases.
   */
  discardRest(until: 'body' | 'connection'): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      if (socket.readableEnded || socket.destroyed) return resolve();
      const done = () => {
        clearTimeout(late);
        socket.off('close', done).off('end', done);
        resolve();
      };
      const late = setTimeout(done, lingerMs);
      socket.once('close', done).once('end', done);
      this.#discarded = (bytes) => {
        if (until === 'connection') return;
        if (this.#bodyLeft !== null) this.#bodyLeft -= bytes.length;
        // The end of a chunked body. If it arrives in two packets, the time limit ends the wait.
        const isEnd =
          this.#bodyLeft === null ? bytes.subarray(-5).toString('latin1') === '0\r\n\r\n' : this.#bodyLeft <= 0;
        if (isEnd) done();
      };
      socket.resume();
    });
  }

  #begin(response: ServerResponse, start: () => void): void {
    this.#answer = response;
    response.once('close', () => {
      const next = this.#waiting.shift();
      this.#answer = null;
      if (next) this.#begin(next.response, next.start);
      else this.#resume();
    });
    start();
  }

  #resume(): void {
    if (!this.#waitsForBudget && this.#socket.isPaused()) this.#socket.resume();
  }

  /** Whether the next bytes may be parsed or discarded now. */
  get #isOpen(): boolean {
    if (this.#discarded !== null || this.#isBehindLast) return true;
    // Node's server pauses its parser while the client does not read the response.
    if (this.#socket.writableNeedDrain) return false;
    if (!this.#isBetweenRequests) return this.#request?.readableFlowing === true;
    return this.#answer === null;
  }

  get #isBetweenRequests(): boolean {
    return this.#request === null || this.#request.complete;
  }

  get #isBehindLast(): boolean {
    return this.#isLast && this.#request?.complete === true;
  }

  /**
   * Parses the bytes that may be parsed now and puts the others back. When no bytes are left, frees the memory that
   * they were read into. The parser keeps no reference to it: it copies what it emits.
   */
  #take(bytes: Buffer): void {
    const { buffer: memory } = bytes;
    // Node allocates an ArrayBuffer for each read. Memory larger than these bytes is ours only if we put the bytes
    // back.
    const isOwn = bytes.length === memory.byteLength || memory === this.#ownMemory;
    this.#ownMemory = null;
    const isPutBack = this.#hasPutBack;
    this.#hasPutBack = this.#parseAllowed(bytes, isPutBack);
    if (!isOwn) return;
    if (this.#hasPutBack) this.#ownMemory = memory;
    else freeNow(new Uint8Array(memory));
  }

  /**
   * Parses the bytes that may be parsed now and puts the others back.
   *
   * @param isPutBack whether the bytes were already read once and put back.
   * @returns whether bytes were put back.
   */
  #parseAllowed(bytes: Buffer, isPutBack: boolean): boolean {
    let rest = bytes;
    while (rest.length > 0 && !this.#socket.destroyed) {
      const isOpen = this.#isOpen;
      // A request that has just arrived is never delayed, so that clients with few requests get fast responses. A
      // pipelined request may be delayed: each response starts the next one, so one client could occupy the event loop
      // forever.
      const begins = !isPutBack && rest === bytes && this.#isBetweenRequests;
      const mayGoOn = begins || this.#hasBudget || this.#budget.hasTime();
      if (!isOpen || !mayGoOn) {
        this.#socket.pause();
        stopReading(this.#socket);
        this.#socket.unshift(rest);
        if (isOpen) this.#waitForBudget();
        return true;
      }
      this.#hasBudget = false;
      if (this.#discarded !== null) {
        this.#discarded(rest);
        return false;
      }
      if (this.#isBehindLast) return false;
      const piece = this.#pieceOf(rest);
      rest = rest.subarray(piece.length);
      this.#parse(piece);
      this.#heads.parsed();
    }
    return false;
  }

  #waitForBudget(): void {
    if (this.#waitsForBudget) return;
    this.#waitsForBudget = true;
    this.#budget.later(() => {
      this.#waitsForBudget = false;
      if (this.#socket.destroyed) return;
      this.#hasBudget = true;
      // Emits the bytes that were put back.
      this.#socket.read();
      this.#hasBudget = false;
      if (!this.#waitsForBudget) this.#socket.resume();
    });
  }

  /** The bytes to parse next: all bytes of a body with a declared length, otherwise up to the end of one head. */
  #pieceOf(bytes: Buffer): Buffer {
    if (!this.#isBetweenRequests && this.#bodyLeft !== null && this.#bodyLeft > 0) {
      const piece = bytes.subarray(0, this.#bodyLeft);
      this.#bodyLeft -= piece.length;
      return piece;
    }
    return this.#heads.pieceOf(bytes);
  }
}

/**
 * Whether a request asks for another protocol. The gateway ignores that and closes the connection after the answer,
 * because Node's parser then drops bytes behind the request, and no longer reports faults.
 */
export const asksForUpgrade = ({ headers }: IncomingMessage): boolean => headers.upgrade !== undefined;

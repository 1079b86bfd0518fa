import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declaredLength } from '../bodies/body-reader.ts';
import { freeNow } from '../bodies/free-now.ts';
import type { Turns } from './turns.ts';

/** A head or a chunked body is parsed in pieces of at most this size: some hundred chunks or one request. */
const pieceBytes = 4 * 1024;
const endOfHead = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);
const endOfLine = Buffer.from('\r\n');
/**
 * Requests that may be parsed while an earlier one of their connection is not answered. A piece ends with a request, so
 * there are more only where its end came in two packets.
 */
const maxWaiting = 8;

/**
 * Hands the bytes of a connection to Node's HTTP parser, one request at a time: the next one only when the answer before
 * it is written, and a body only when it is read. What is not handed over stays in the socket's buffer, and once
 * that is full, with the client.
 *
 * Node's own HTTP server parses everything that a packet holds, so that a client that pipelines a thousand requests in one
 * write has a thousand of them worked on at once. So the gate takes the place of the listener by which Node's server
 * feeds its parser.
 */
export class RequestGate {
  readonly #socket: Socket;
  readonly #turns: Turns;
  readonly #parse: (bytes: Buffer) => void;
  /** The answer that is made or written. */
  #answer: ServerResponse | null = null;
  readonly #waiting: { response: ServerResponse; start: () => void }[] = [];
  /** The request whose head was parsed last. */
  #request: IncomingMessage | null = null;
  /** What of its body is not handed over yet, in bytes; null when only the parser knows. */
  #bodyLeft: number | null = null;
  /** The end of a piece of a head, where the end of that head may have begun. */
  #seam: Buffer = nothing;
  /** What the piece being parsed has after the end of its head. */
  #behindHead: Buffer = nothing;
  #waitsForTurn = false;
  /** Whether the bytes that come next were read before, and put back. */
  #hasPutBack = false;
  /** The memory of what was put back, where nothing else is in it. */
  #ownMemory: ArrayBufferLike | null = null;
  #hasTurn = false;
  #discarded: ((bytes: Buffer) => void) | null = null;

  /** @param socket a connection that Node's HTTP server has just taken over. */
  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    const [parse] = socket.listeners('data');
    if (parse === undefined) throw new Error("Node's HTTP server does not listen for data of its connections");
    this.#parse = (bytes) => Reflect.apply(parse, socket, [bytes]);
    socket.removeAllListeners('data');
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('drain', () => this.#resume());
    socket.on('resume', () => startReading(socket));
  }

  /** Whether a request of this connection is worked on or its answer is being written. */
  get isBusy(): boolean {
    return this.#answer !== null;
  }

  /** The request whose head came last. */
  get request(): IncomingMessage | null {
    return this.#request;
  }

  get response(): ServerResponse | null {
    return this.#answer;
  }

  /** Lets work on a request start when the answers to those before it are written. */
  enter(request: IncomingMessage, response: ServerResponse, start: () => void): void {
    this.#request = request;
    const declared = declaredLength(request);
    this.#bodyLeft = declared === null ? null : Math.max(0, declared - this.#behindHead.length);
    // Without a body of that length, it is the beginning of the next head.
    if (this.#behindHead.length > (declared ?? 0)) this.#seam = seamOf(this.#behindHead);
    if (this.#answer === null) this.#begin(response, start);
    else if (this.#waiting.push({ response, start }) > maxWaiting) this.#socket.destroy();
  }

  /**
   * Throws away what the client still sends, unparsed, so that it gets to read its answer: a connection that is closed
   * while bytes are unread is reset, and takes the answer with it.
   *
   * @param limitMs how long to wait for the end of the body, or for the client to close.
   */
  discardRest(limitMs: number): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(late);
        socket.off('close', done);
        resolve();
      };
      const late = setTimeout(done, limitMs);
      socket.once('close', done);
      this.#discarded = (bytes) => {
        if (this.#bodyLeft !== null) this.#bodyLeft -= bytes.length;
        // The end of a chunked body; where it is cut in two, the limit ends the wait.
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
    if (!this.#waitsForTurn && this.#socket.isPaused()) this.#socket.resume();
  }

  /** Whether somebody wants the bytes that come next. */
  get #isOpen(): boolean {
    if (this.#discarded !== null) return true;
    // Node's server pauses its parser while what it wrote is not taken.
    if (this.#socket.writableNeedDrain) return false;
    if (!this.#isBetweenRequests) return this.#request?.readableFlowing === true;
    return this.#answer === null;
  }

  get #isBetweenRequests(): boolean {
    return this.#request === null || this.#request.complete;
  }

  /**
   * Parses what may be parsed of the bytes, puts back the others, and frees the memory that they were read into once there are
   * none. The parser keeps no bytes: it copies what it hands on.
   */
  #take(bytes: Buffer): void {
    const { buffer: memory } = bytes;
    // Node makes an ArrayBuffer for each read. One that holds more than these bytes is ours if it was before.
    const isOwn = bytes.length === memory.byteLength || memory === this.#ownMemory;
    this.#ownMemory = null;
    const isPutBack = this.#hasPutBack;
    this.#hasPutBack = this.#parseAllowed(bytes, isPutBack);
    if (!isOwn) return;
    if (this.#hasPutBack) this.#ownMemory = memory;
    else freeNow(new Uint8Array(memory));
  }

  /**
   * Parses what may be parsed now.
   *
   * @param isPutBack whether the bytes were read and put back before.
   * @returns whether bytes were put back.
   */
  #parseAllowed(bytes: Buffer, isPutBack: boolean): boolean {
    let rest = bytes;
    while (rest.length > 0 && !this.#socket.destroyed) {
      const isOpen = this.#isOpen;
      // A request that has just come is never put off: bodies of others wait, and the client that sends little is answered
      // soon. One that waited behind another of its connection is: answering one may start the next without end.
      const begins = !isPutBack && rest === bytes && this.#isBetweenRequests;
      const mayGoOn = begins || this.#hasTurn || this.#turns.hasTime();
      if (!isOpen || !mayGoOn) {
        this.#socket.pause();
        stopReading(this.#socket);
        this.#socket.unshift(rest);
        if (isOpen) this.#waitForTurn();
        return true;
      }
      this.#hasTurn = false;
      if (this.#discarded !== null) {
        this.#discarded(rest);
        return false;
      }
      const piece = this.#pieceOf(rest);
      rest = rest.subarray(piece.length);
      this.#parse(piece);
      this.#behindHead = nothing;
    }
    return false;
  }

  #waitForTurn(): void {
    if (this.#waitsForTurn) return;
    this.#waitsForTurn = true;
    this.#turns.later(() => {
      this.#waitsForTurn = false;
      if (this.#socket.destroyed) return;
      this.#hasTurn = true;
      // Emits the bytes that were put back.
      this.#socket.read();
      this.#hasTurn = false;
      if (!this.#waitsForTurn) this.#socket.resume();
    });
  }

  /** The bytes to parse next: of a body with a length all that is here, else up to the end of one head. */
  #pieceOf(bytes: Buffer): Buffer {
    if (!this.#isBetweenRequests && this.#bodyLeft !== null && this.#bodyLeft > 0) {
      const piece = bytes.subarray(0, this.#bodyLeft);
      this.#bodyLeft -= piece.length;
      return piece;
    }
    const most = bytes.subarray(0, pieceBytes);
    if (this.#seam.length > 0) {
      const seam = Buffer.concat([this.#seam, most.subarray(0, endOfHead.length - 1)]);
      const end = seam.indexOf(endOfHead);
      const atSeam = this.#seam.length;
      this.#seam = nothing;
      if (end >= 0) return most.subarray(0, end + endOfHead.length - atSeam);
    }
    const end = most.indexOf(endOfHead);
    if (end >= 0) {
      const head = end + endOfHead.length;
      // What follows without an end of line is no chunk and no head: the small body of most webhooks, or the start of a head.
      if (most.includes(endOfLine, head)) return most.subarray(0, head);
      this.#behindHead = most.subarray(head);
      return most;
    }
    this.#seam = seamOf(most);
    return most;
  }
}

/** Where the end of a head may have begun. A copy, so that the memory of the piece can be freed. */
const seamOf = (piece: Buffer): Buffer => Buffer.from(piece.subarray(1 - endOfHead.length));

/** What Node keeps of the connection that a socket reads. */
interface Handle {
  reading: boolean;
  readStart(): number;
  readStop(): number;
}

type Readable = Socket & { _handle?: Handle | null };

/**
 * Takes nothing more from the kernel. A paused socket of Node's goes on to read until its buffer is full, which doubles what
 * each connection holds.
 */
function stopReading({ _handle: handle }: Readable): void {
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
}

/** Node's stream believes that a read is under way, and so does not begin one itself. */
function startReading({ _handle: handle }: Readable): void {
  if (!handle || handle.reading) return;
  handle.reading = true;
  handle.readStart();
}

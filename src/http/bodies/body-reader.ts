import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '../network.ts';
import { Problem } from '../problem.ts';
import type { BodyBudget, Holding } from './body-budget.ts';
import { freeNow } from './free-now.ts';
import { GrowingBuffer } from './growing-buffer.ts';

/** Chunks of any size that a body may come in. Each chunk costs an object and some calls, even if it is tiny. */
const freeChunks = 10_000;
/** The least average chunk size of a body with more than `freeChunks`. Packets of a slow connection are larger. */
const leastChunkBytes = 64;

const empty = Buffer.alloc(0);

/** The holding is a property of the request itself, because that is the fastest way to find it. */
const held = Symbol('holding');

interface Held extends IncomingMessage {
  [held]?: Holding;
}

/** Reads the bodies of requests within one shared memory budget. */
export class BodyReader {
  readonly #budget: BodyBudget;
  readonly #clientAddress: (request: IncomingMessage) => string;

  constructor(options: { budget: BodyBudget; clientAddress: (request: IncomingMessage) => string }) {
    this.#budget = options.budget;
    this.#clientAddress = options.clientAddress;
  }

  /**
   * Reads a body of at most `maxBytes`. No byte of it is read before this call, which also sends `100 Continue` to a
   * client that waits for it. The bytes count against the budget until `release`.
   *
   * @throws Problem `payload_too_large` when the body is larger or has too many chunks, `overloaded` when the budget
   *   has no room or the body was dropped for another one, `invalid` when the client disconnected before the end.
   */
  read(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<Buffer> {
    if (!hasBody(request)) return Promise.resolve(empty);
    // A client that disconnected before this call: a destroyed request emits no further event.
    if (request.destroyed) return Promise.reject(disconnected());
    const declared = declaredLength(request);
    if (declared !== null && declared > maxBytes) return Promise.reject(tooLarge(maxBytes));
    return new Promise((resolve, reject) => {
      const holding = this.#budget.open(networkOf(this.#clientAddress(request)), fail);
      (request as Held)[held] = holding;
      const bytes = new GrowingBuffer(declared ?? maxBytes);
      let whole: Buffer | null = null;
      let chunks = 0;

      const onData = (chunk: Buffer) => {
        try {
          chunks++;
          const length = bytes.length + chunk.length;
          if (length > maxBytes) throw tooLarge(maxBytes);
          if (chunks > freeChunks && length < chunks * leastChunkBytes) throw tooManyChunks();
          this.#budget.arrived(holding, chunk.length);
          // Most bodies arrive in one chunk, which needs no copy.
          if (chunks === 1 && chunk.length === declared) {
            this.#budget.grow(holding, chunk.length);
            whole = chunk;
            return;
          }
          const capacity = bytes.capacityFor(chunk.length);
          if (capacity > holding.bytes) this.#budget.grow(holding, capacity);
          bytes.add(chunk);
          freeNow(chunk);
        } catch (error) {
          fail(error);
        }
      };
      const onEnd = () => {
        stop();
        holding.isReading = false;
        resolve(whole ?? bytes.take());
      };
      const onGone = () => fail(disconnected());
      const stop = () => {
        request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
        // Without a listener, a later error of this request would end the process.
        request.on('error', () => undefined);
      };
      function fail(this: unknown, error: unknown) {
        stop();
        request.pause();
        release();
        bytes.free();
        reject(error);
      }
      const release = () => this.release(request);
      request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
      if (expectsContinue(request)) response.writeContinue();
    });
  }

  /** Gives back the budget of the request's body. Called once the request has its response. */
  release(request: IncomingMessage): void {
    const holding = (request as Held)[held];
    if (holding) this.#budget.release(holding);
  }
}

/** Whether the request announces a body (RFC 9112, section 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The declared length in bytes; null for a chunked request. The HTTP parser refuses a length that is not a number. */
export function declaredLength({ headers }: IncomingMessage): number | null {
  return headers['content-length'] === undefined ? null : Number(headers['content-length']);
}

/** Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
export const expectsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');

const disconnected = () => new Problem('invalid', 'the connection ended before the body did');

const tooLarge = (maxBytes: number) => new Problem('payload_too_large', `the body is larger than ${maxBytes} bytes`);

const tooManyChunks = () =>
  new Problem(
    'payload_too_large',
    `the body comes in too many pieces: more than ${freeChunks}, of less than ${leastChunkBytes} bytes on average`,
  );

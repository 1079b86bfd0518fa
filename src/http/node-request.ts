import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/** What Elysia's Node adapter (srvx) adds to a request. */
interface NodeRuntime {
  runtime?: { node?: { req?: IncomingMessage } };
}

/**
 * Node's own request behind Elysia's: its raw headers keep order, case and repetitions, and its body can be counted
 * while it is read.
 *
 * @throws Error when the app does not run on the Node adapter.
 */
export function nodeRequest(request: Request & NodeRuntime): IncomingMessage {
  const node = request.runtime?.node?.req;
  if (!node) throw new Error('the app must run on the Node adapter');
  return node;
}

/**
 * Reads a body of at most `maxBytes`; what a chunked one sends past that is not kept.
 *
 * @throws Problem `payload_too_large`, or `invalid` when the client went away in the middle.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => {
      // The rest is read and thrown away, so that the answer reaches a client that is still sending; Node closes the
      // connection of one that never ends.
      request.removeAllListeners('data');
      request.resume();
      reject(
        new Problem('payload_too_large', `the body is larger than ${maxBytes} bytes`, {
          headers: { connection: 'close' },
        }),
      );
    };
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge();
    // Elysia's parsing looks at `body`, which hangs a web stream on the request: nobody reads that one, so it would stop
    // the flow after 64 KiB.
    request.removeAllListeners('data');
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return tooLarge();
      if (!first) first = chunk;
      else if (rest) rest.push(chunk);
      else rest = [chunk];
    });
    request.once('end', () => resolve(first && rest ? Buffer.concat([first, ...rest]) : (first ?? Buffer.alloc(0))));
    const gone = () => reject(new Problem('invalid', 'the connection ended before the body did'));
    request.once('error', gone);
    request.once('aborted', gone);
    request.resume();
  });
}

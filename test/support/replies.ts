import type { ServerResponse } from 'node:http';
import type { Delivery, Reply } from './consumer.ts';

/** Answers with a `Retry-After`, in seconds. */
export function askToWait(status: number, seconds: number): Reply {
  return (response) => response.writeHead(status, { 'retry-after': String(seconds) }).end();
}

/** Never answers. */
export const hang: Reply = () => undefined;

/** Answers with 200 after the test has called `release`. */
export function heldBack() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  return { release, reply: (response: ServerResponse) => void released.then(() => response.end()) };
}

/** A reply that waits until the test calls `answer`. */
export function hold() {
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  let waiting: ServerResponse | null = null;
  return {
    reply(response: ServerResponse, delivery: Delivery) {
      waiting = response;
      resolve(delivery);
    },
    /** The delivery that waits for its answer. */
    arrived: promise,
    /** Answers it. */
    answer(status: number) {
      if (!waiting) throw new Error('no delivery waits for an answer');
      waiting.writeHead(status).end();
    },
  };
}

export type Held = ReturnType<typeof hold>;

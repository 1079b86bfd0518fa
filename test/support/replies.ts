import type { ServerResponse } from 'node:http';
import type { Delivery, Reply } from './consumer.ts';

/** Answers with a `Retry-After`, in seconds. */
export function askToWait(status: number, seconds: number): Reply {
  return (response) => response.writeHead(status, { 'retry-after': String(seconds) }).end();
}

/** Never answers. */
export const hang: Reply = () => undefined;

export interface Held {
  reply: Reply;
  /** The delivery that waits for its answer. */
  arrived: Promise<Delivery>;
  /** Answers it. */
  answer(status: number): void;
}

/** A reply that waits until the test calls `answer`. */
export function hold(): Held {
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  let waiting: ServerResponse | null = null;
  return {
    reply(response, delivery) {
      waiting = response;
      resolve(delivery);
    },
    arrived: promise,
    answer(status) {
      if (!waiting) throw new Error('no delivery waits for an answer');
      waiting.writeHead(status).end();
    },
  };
}

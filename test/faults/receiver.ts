import { createServer } from 'node:http';
import { z } from 'zod';
import { listen } from '../support/listen.ts';

/** A notification that a destination was sent. */
export interface Notice {
  destination: string;
  eventId: string;
  atMs: number;
  status: number;
}

/** The webhook destinations of a seed. The second one refuses the first try of each notification. */
export const destinations = ['operators', 'busy-operators'] as const;

const message = z.object({ data: z.object({ event: z.object({ id: z.string() }) }) });

/** Receives the notifications of all destinations, with a path for each. */
export class Receiver {
  readonly notices: Notice[] = [];
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      const destination = (request.url ?? '').slice(1);
      const eventId = message.parse(JSON.parse(body)).data.event.id;
      const isFirst = !this.notices.some((one) => one.destination === destination && one.eventId === eventId);
      const status = destination === 'busy-operators' && isFirst ? 500 : 200;
      this.notices.push({ destination, eventId, atMs: Date.now(), status });
      response.writeHead(status).end();
    });
  });
  port = 0;

  async listen(): Promise<void> {
    this.port = await listen(this.#server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

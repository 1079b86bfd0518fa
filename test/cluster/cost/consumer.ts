import { createServer } from 'node:http';
import { listen } from '../../support/listen.ts';

/** What becomes of an event, by the path of its consumer. */
export const fates = {
  '/first': 'delivered by the first attempt',
  '/third': 'delivered by the third attempt',
  '/never': 'exhausted, with two notifications',
} as const;
export type Fate = keyof typeof fates;

const thirdAttempt = 3;

/** A consumer that answers by the path and the number of the attempt. Notifications are taken at any other path. */
export async function startFatefulConsumer(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const attempt = Number(request.headers['x-webhook-attempt']);
    const fails = request.url === '/never' || (request.url === '/third' && attempt < thirdAttempt);
    request.resume().on('end', () => response.writeHead(fails ? 500 : 200).end());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

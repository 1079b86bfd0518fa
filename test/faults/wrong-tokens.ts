import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from './random.ts';

const atOnce = 10;
/** An api that another fault has stopped answers nothing. */
const answerLimitMs = 2_000;
const pauseMs = 100;

/** Calls the admin API of each process with wrong tokens, each from another address. Returns the function that ends this. */
export function sendWrongTokens(apiUrls: readonly string[]): () => Promise<void> {
  const random = new Random(1);
  const ending = new AbortController();
  const byte = () => Math.floor(random.between(1, 255));
  const call = async (url: string) => {
    const asked = request(`${url}/admin/events`, {
      localAddress: `127.${byte()}.${byte()}.${byte()}`,
      headers: { 'x-admin-token': `wrong-${random.next()}` },
      agent: false,
      timeout: answerLimitMs,
    });
    asked.once('timeout', () => asked.destroy());
    asked.end();
    const [response] = await once(asked, 'response');
    response.resume();
  };
  const sending = Array.from({ length: atOnce }, async () => {
    while (!ending.signal.aborted) {
      // Another fault may have taken the process away.
      await call(random.pick(apiUrls)).catch(() => sleep(pauseMs));
    }
  });
  return async () => {
    ending.abort();
    await Promise.all(sending);
  };
}

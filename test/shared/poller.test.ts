import { expect, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { Poller } from '../../src/shared/poller.ts';

/** A poller whose rounds the test ends, and what it logs at level warn and above. */
function held() {
  const lines: string[] = [];
  const rounds: PromiseWithResolvers<'idle'>[] = [];
  const poller = new Poller({
    name: 'test',
    idleMs: 60_000,
    log: createLog('warn', { write: (line) => void lines.push(line) }),
    work() {
      const round = Promise.withResolvers<'idle'>();
      rounds.push(round);
      return round.promise;
    },
  });
  poller.start();
  return { poller, rounds, lines };
}

test('a failed round is logged and made again', async () => {
  const { poller, rounds, lines } = held();
  rounds[0]?.reject(new Error('no answer'));
  await expect.poll(() => rounds.length).toBe(2);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { poller: 'test', err: { message: 'no answer' }, msg: 'poller round failed, retrying' },
  ]);
  rounds[1]?.resolve('idle');
  await poller.stop();
});

test('a round that fails during the stop is the last one, and no warning', async () => {
  const { poller, rounds, lines } = held();
  const stopped = poller.stop();
  rounds[0]?.reject(new Error('the connection is closed'));
  await stopped;
  expect(rounds.length).toBe(1);
  expect(lines).toEqual([]);
});

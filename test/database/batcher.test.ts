import { describe, expect, test } from 'vitest';
import { Batcher, BatcherFull } from '../../src/database/batcher.ts';

/** A batcher whose batches end when the test ends them. */
function held(options: { maxBatch: number; maxRunning: number; maxWaiting?: number; key?: (item: string) => string }) {
  const batches: { items: string[]; end(results?: string[]): void; fail(error: Error): void }[] = [];
  const batcher = new Batcher<string, string>(
    (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, end: (results = items.map((item) => `${item}!`)) => resolve(results), fail: reject });
      }),
    options,
  );
  return { batcher, batches, items: () => batches.map((batch) => batch.items.join('')) };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));
const addAll = (batcher: Batcher<string, string>, items: string) => [...items].map((item) => batcher.add(item));

test('calls of one tick share a batch, in order, and each gets its own result', async () => {
  const { batcher, batches, items } = held({ maxBatch: 10, maxRunning: 1 });
  const added = addAll(batcher, 'abc');
  expect(batches).toEqual([]);
  await tick();
  expect(items()).toEqual(['abc']);
  batches[0]?.end();
  expect(await Promise.all(added)).toEqual(['a!', 'b!', 'c!']);
});

test('calls that arrive while a batch runs share the next one', async () => {
  const { batcher, batches, items } = held({ maxBatch: 10, maxRunning: 1 });
  const added = addAll(batcher, 'a');
  await tick();
  added.push(...addAll(batcher, 'bc'));
  await tick();
  added.push(...addAll(batcher, 'd'));
  await tick();
  expect(items()).toEqual(['a']);
  batches[0]?.end();
  await tick();
  expect(items()).toEqual(['a', 'bcd']);
  batches[1]?.end();
  expect(await Promise.all(added)).toEqual(['a!', 'b!', 'c!', 'd!']);
});

test('a batch has at most maxBatch items, and at most maxRunning batches run at once', async () => {
  const { batcher, batches, items } = held({ maxBatch: 2, maxRunning: 2 });
  const added = addAll(batcher, 'abcdefg');
  await tick();
  expect(items()).toEqual(['ab', 'cd']);
  batches[1]?.end();
  await tick();
  expect(items()).toEqual(['ab', 'cd', 'ef']);
  batches[0]?.end();
  await tick();
  expect(items()).toEqual(['ab', 'cd', 'ef', 'g']);
  for (const batch of batches) batch.end();
  expect((await Promise.all(added)).join('')).toBe('a!b!c!d!e!f!g!');
});

test('items of one key never share a batch, and keep their order', async () => {
  const { batcher, batches, items } = held({ maxBatch: 3, maxRunning: 1, key: (item) => item.toLowerCase() });
  const added = addAll(batcher, 'aAbBcab');
  for (let n = 0; n < 4; n++) {
    await tick();
    batches[n]?.end();
  }
  await tick();
  expect(items()).toEqual(['abc', 'AB', 'ab']);
  expect((await Promise.all(added)).join('')).toBe('a!A!b!B!c!a!b!');
});

test('more than maxWaiting items are refused, and accepted again when there is room', async () => {
  const { batcher, batches } = held({ maxBatch: 1, maxRunning: 1, maxWaiting: 2 });
  const running = batcher.add('a');
  await tick();
  const waiting = addAll(batcher, 'bc');
  await expect(batcher.add('d')).rejects.toThrow(BatcherFull);
  batches[0]?.end();
  expect(await running).toBe('a!');
  await tick();
  const later = batcher.add('e');
  for (let n = 1; n < 4; n++) {
    batches[n]?.end();
    await tick();
  }
  expect(await Promise.all([...waiting, later])).toEqual(['b!', 'c!', 'e!']);
});

describe('errors', () => {
  test('a failed batch fails only its own calls', async () => {
    const { batcher, batches } = held({ maxBatch: 2, maxRunning: 2 });
    const settled = Promise.allSettled(addAll(batcher, 'abcdef'));
    await tick();
    batches[0]?.fail(new Error('broken'));
    await tick();
    for (const batch of batches) batch.end();
    const results = await settled;
    expect(results.map((result) => result.status === 'fulfilled')).toEqual([false, false, true, true, true, true]);
    expect(results[0]).toMatchObject({ reason: new Error('broken') });
  });
  test('a missing result fails only its own call', async () => {
    const { batcher, batches } = held({ maxBatch: 3, maxRunning: 1 });
    const settled = Promise.allSettled(addAll(batcher, 'ab'));
    await tick();
    batches[0]?.end(['a!']);
    const [first, second] = await settled;
    expect(first).toEqual({ status: 'fulfilled', value: 'a!' });
    expect(second).toMatchObject({ status: 'rejected' });
  });
});

test('a batch holds at most maxBatch bytes, but always at least one item', async () => {
  const batches: string[][] = [];
  const batcher = new Batcher<string, true>(
    async (items) => {
      batches.push(items);
      return items.map(() => true);
    },
    { maxBatch: 10, maxRunning: 1, bytes: { of: (item) => item.length, maxBatch: 5, maxWaiting: 100 } },
  );
  await Promise.all(['aaa', 'bb', 'c', 'dddddddd', 'e'].map((item) => batcher.add(item)));
  expect(batches).toEqual([['aaa', 'bb'], ['c', 'e'], ['dddddddd']]);
});

test('more than maxWaiting bytes are refused, and accepted again when the others are done', async () => {
  const batcher = new Batcher<string, true>(async (items) => items.map(() => true), {
    ...{ maxBatch: 10, maxRunning: 1 },
    bytes: { of: (item) => item.length, maxBatch: 5, maxWaiting: 6 },
  });
  const first = batcher.add('aaaa');
  await expect(batcher.add('bbb')).rejects.toThrow(BatcherFull);
  await first;
  await expect(batcher.add('bbb')).resolves.toBe(true);
  // An item that is larger than the limit is accepted when nothing else waits.
  await expect(batcher.add('cccccccccc')).resolves.toBe(true);
});

import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

type Open<T> = () => T | Promise<T>;
type Close<T> = (opened: T) => unknown;

/**
 * Opens something before the first test of a file (or a `describe`), and closes it after the last one. Read the result in
 * tests and hooks only: it has no properties before.
 */
export const useForAll = <T extends object>(open: Open<T>, close?: Close<T>): T =>
  use(beforeAll, afterAll, open, close);

/** As {@link useForAll}, before and after each test. */
export const useForEach = <T extends object>(open: Open<T>, close?: Close<T>): T =>
  use(beforeEach, afterEach, open, close);

function use<T extends object>(
  before: (work: () => Promise<void>) => void,
  after: (work: () => unknown) => void,
  open: Open<T>,
  close: Close<T> = () => undefined,
): T {
  let opened: T | undefined;
  const current = (): T => {
    if (opened === undefined) throw new Error('nothing is open yet: read it in tests and hooks only');
    return opened;
  };
  before(async () => {
    opened = await open();
  });
  // Without an opened one, the hook before has failed, and the run reports that.
  after(() => opened && close(opened));
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(current(), name),
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(current(), name),
  });
}

/** Stops or closes what a test has opened when the test ends, the last one first. */
export async function forTest<T extends { stop(): unknown } | { close(): unknown }>(
  opening: T | Promise<T>,
): Promise<T> {
  const opened = await opening;
  onTestFinished(async () => {
    await ('stop' in opened ? opened.stop() : opened.close());
  });
  return opened;
}

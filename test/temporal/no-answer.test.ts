import { createServer } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectLazily, gaveNoAnswer } from '../../src/temporal/lazy-connection.ts';
import { listenForTest } from '../support/listen-for-test.ts';

/** The error of a call about a namespace that does not exist. */
async function errorOf(address: string, limitMs = 30_000): Promise<unknown> {
  const connection = connectLazily({ address, tls: false, apiKey: null });
  onTestFinished(() => connection.close());
  return connection
    .withDeadline(Date.now() + limitMs, () => connection.workflowService.describeNamespace({ namespace: 'missing' }))
    .catch((error: unknown) => error);
}

test('a call that Temporal refuses has its answer', async () => {
  const error = await errorOf(inject('temporalAddress'));
  expect(error).toMatchObject({ code: 5 });
  expect(gaveNoAnswer(error)).toBe(false);
});

test('a server that is down, and one that hangs, give no answer', async () => {
  // A port that other tests do not take: they take free ones.
  expect(gaveNoAnswer(await errorOf('127.0.0.1:1'))).toBe(true);
  // It accepts connections, and reads nothing from them.
  const hanging = await listenForTest(createServer(() => undefined));
  expect(gaveNoAnswer(await errorOf(`127.0.0.1:${hanging}`, 500))).toBe(true);
});

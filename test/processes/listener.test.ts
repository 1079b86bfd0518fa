import { expect, inject, test } from 'vitest';
import { Listener } from '../../src/processes/listener.ts';
import { createLog } from '../../src/shared/log.ts';
import { queryOnce } from '../support/one-connection.ts';
import { proxyTo } from '../support/proxy-to.ts';

test('the listener stops even if its connection is dead without an error', async () => {
  const server = inject('postgresUrl');
  const { proxy, url } = await proxyTo(server);
  const called = { times: 0, next: Promise.withResolvers<void>() };
  const listener = new Listener({
    url,
    log: createLog('silent'),
    handlers: {
      test_of_listener() {
        called.times += 1;
        called.next.resolve();
      },
    },
  });
  listener.start();
  await called.next.promise;
  called.next = Promise.withResolvers();
  await queryOnce(server, 'notify test_of_listener');
  await called.next.promise;
  expect(called.times).toBe(2);
  proxy.begin({ kind: 'silence' });
  await listener.stop();
});

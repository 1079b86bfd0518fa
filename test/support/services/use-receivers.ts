import { afterEach } from 'vitest';
import { instantDelaysMs } from '../gateway.ts';
import type { TestGatewayOptions } from '../gateway-options.ts';
import { openStage } from '../situations.ts';
import { useForAll } from '../use.ts';
import { startReceivers } from './receivers.ts';

/**
 * A gateway with a schedule without delays and receivers of every kind for all tests of a file. Both are cleared after
 * each test.
 */
export function useReceivers(options: TestGatewayOptions = {}) {
  const receivers = useForAll(startReceivers, (opened) => opened.close());
  const stage = useForAll(
    () => openStage({ delaysMs: instantDelaysMs, mail: receivers.mailSettings, ...options }),
    (opened) => opened.close(),
  );
  afterEach(() => {
    receivers.clear();
    return stage.clear();
  });
  return { stage, receivers };
}

import { afterAll, afterEach, beforeAll } from 'vitest';
import { instantDelaysMs, type TestGatewayOptions } from '../gateway.ts';
import { openStage, type Stage } from '../situations.ts';
import { type Receivers, startReceivers } from './receivers.ts';

/**
 * Opens a gateway with a schedule without delays and receivers of every kind for all tests of a file. Both are cleared
 * after each test and closed after the last one.
 *
 * @param opened gets both before the first test
 */
export function useReceivers(options: TestGatewayOptions, opened: (stage: Stage, receivers: Receivers) => void): void {
  let stage: Stage;
  let receivers: Receivers;
  beforeAll(async () => {
    receivers = await startReceivers();
    stage = await openStage({ delaysMs: instantDelaysMs, mail: receivers.mailSettings, ...options });
    opened(stage, receivers);
  });
  afterAll(async () => {
    await stage.close();
    await receivers.close();
  });
  afterEach(() => {
    receivers.clear();
    return stage.clear();
  });
}

import { expect, test } from 'vitest';
import { hang } from '../support/replies.ts';
import type { Receivers } from '../support/services/receivers.ts';
import { playWithReceivers } from '../support/services/stage.ts';
import { accountWith, sendEvent, summarised, told } from '../support/services/telling.ts';
import type { Stage } from '../support/situations.ts';

// The time limit of a message to a destination. Those who answer have all of it, too, so it is not too short for them.

let stage: Stage;
let receivers: Receivers;
playWithReceivers({ timeLimitMs: 4_000, notifications: { waitsMs: [20, 20, 20, 20] } }, (...opened) => {
  [stage, receivers] = opened;
});

test('one that never answers is given up on, and tried again', async () => {
  receivers.hook.replies = [hang, 200];
  receivers.slack.faults = [hang];
  const event = await told(stage, await sendEvent(stage, await accountWith(stage, receivers.destinations)), 4, 50_000);
  expect(summarised(event)).toEqual(['0 chat_one sent 2', '0 chat_two sent 1', '0 email sent 1', '0 webhook sent 2']);
});

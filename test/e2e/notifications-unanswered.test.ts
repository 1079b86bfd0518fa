import { expect, test } from 'vitest';
import { hang } from '../support/replies.ts';
import { accountWith, notified, sendEvent, summarised } from '../support/services/notified-events.ts';
import { useReceivers } from '../support/services/use-receivers.ts';

// The time limit of a message to a destination. It must not be too short for destinations that answer.

const { stage, receivers } = useReceivers({ timeLimitMs: 10_000, notifications: { waitsMs: [20, 20, 20, 20] } });

test('a message without an answer times out and is retried', async () => {
  receivers.hook.replies = [hang, 200];
  receivers.slack.faults = [hang];
  const event = await notified(stage, await sendEvent(stage, await accountWith(stage, receivers.destinations)), 4);
  expect(summarised(event)).toEqual(['0 chat_one sent 2', '0 chat_two sent 1', '0 email sent 1', '0 webhook sent 2']);
});

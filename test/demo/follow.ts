import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoConsumer } from './demo-consumer.ts';
import { DemoError } from './demo-error.ts';
import { type DemoEvent, type Gateway, notReached } from './gateway.ts';
import type { Screen } from './screen.ts';
import { attemptLine, span } from './timeline.ts';

const pollMs = 200;
/** An idle gateway makes an attempt within milliseconds of its time. After this time no worker seems to run. */
const patienceMs = 15_000;
/** An event that is delivered directly after the commit gets its workflow a moment later. */
const workflowLimitMs = 15_000;

interface Following {
  gateway: Gateway;
  consumer: DemoConsumer;
  screen: Screen;
  signal: AbortSignal;
}

/**
 * Shows the attempts of an event as they are made, until it is delivered and has its workflow.
 *
 * @throws DemoError if the consumer cannot be reached or no worker delivers
 */
export async function follow(eventId: string, { gateway, consumer, screen, signal }: Following): Promise<DemoEvent> {
  let shown = 0;
  for (;;) {
    const event = await gateway.event(eventId);
    signal.throwIfAborted();
    for (const attempt of event.delivery_history.slice(shown)) screen.line(attemptLine(attempt, event));
    shown = event.delivery_history.length;
    if (event.delivery_status === 'delivered') return await withWorkflow(event, gateway, signal);
    if (shown > 0 && !consumer.verified.has(eventId)) throw new DemoError(unreachable(event, gateway, consumer));
    if (event.delivery_status !== 'pending')
      throw new DemoError(
        `The event is ${event.status} and its delivery ${event.delivery_status}: an operator ended it.`,
      );
    const dueMs = Date.parse(event.next_attempt_at ?? event.received_at);
    if (Date.now() - dueMs > patienceMs)
      throw new DemoError(
        `The event has been due for ${span(Date.now() - dueMs)}, but no attempt was made. Does a worker run (npm start has one)?`,
      );
    if (shown > 0 && dueMs > Date.now())
      screen.status(`           waiting for attempt ${shown + 1}: ${Math.ceil((dueMs - Date.now()) / 1000)} s …`);
    await sleep(pollMs, undefined, { signal });
  }
}

async function withWorkflow(event: DemoEvent, gateway: Gateway, signal: AbortSignal): Promise<DemoEvent> {
  const endMs = Date.now() + workflowLimitMs;
  let latest = event;
  while (latest.workflow === null && Date.now() < endMs) {
    await sleep(pollMs, undefined, { signal });
    latest = await gateway.event(event.id);
  }
  return latest;
}

function unreachable(event: DemoEvent, gateway: Gateway, consumer: DemoConsumer): string {
  const forged =
    consumer.forged > 0
      ? 'What came had no right signature.'
      : `What it met instead: ${event.last_error ?? 'an answer of something else'}.`;
  return notReached(gateway.url, consumer.url, forged);
}

import type { DeliverySchedule } from '../../workflows/messages.ts';

/** An event of a disabled account is checked at most once a minute, for at most 7 days (docs/concepts.md). */
const holdMs = 60_000;
const holdLimitMs = 7 * 24 * 60 * 60_000;

/** The delivery schedule in the input of new workflows. */
export function deliverySchedule(settings: { delaysMs: number[]; timeLimitMs: number }): DeliverySchedule {
  return { delaysMs: settings.delaysMs, timeLimitMs: settings.timeLimitMs, holdMs, holdLimitMs };
}

import type { DeliverySchedule } from '../../workflows/messages.ts';

/** An event of a disabled account is looked at at most once in this time (docs/concepts.md). */
const holdMs = 60_000;
const holdLimitMs = 7 * 24 * 60 * 60_000;

/** The schedule that new workflows get, from the settings. */
export function deliverySchedule(settings: { delaysMs: number[]; timeLimitMs: number }): DeliverySchedule {
  return { delaysMs: settings.delaysMs, timeLimitMs: settings.timeLimitMs, holdMs, holdLimitMs };
}

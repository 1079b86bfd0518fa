import type { DeliverySchedule } from '../../workflows/messages.ts';
import { disabledLimitS } from '../events/transitions/exhausted.ts';

/** What workers of the release before need of a disabled account: they check it once a minute, for at most 7 days. */
const forReleaseBefore = { holdMs: 60_000, holdLimitMs: disabledLimitS * 1000 };

/** The delivery schedule in the input of new workflows. */
export function deliverySchedule(settings: { delaysMs: number[]; timeLimitMs: number }): DeliverySchedule {
  return { delaysMs: settings.delaysMs, timeLimitMs: settings.timeLimitMs, ...forReleaseBefore };
}

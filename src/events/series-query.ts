import ms from 'ms';
import { z } from 'zod';
import { dayMs } from '../database/uuid-time.ts';
import { textFilter, time } from '../http/admin/query-schemas.ts';
import { Problem } from '../http/problem.ts';
import type { Span } from './delivery-series.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Points of one answer: a day by the minute. */
const mostPoints = 1_500;
/** How far back counts by the minute, and by the hour, reach. */
const minutesReachMs = 2 * dayMs;
const hoursReachMs = 31 * dayMs;
/** What is kept (fold-statistics.ts): longer, because the first point may begin before `from`. */
const minutesKeptMs = minutesReachMs + hourMs;
const hoursKeptMs = hoursReachMs + dayMs;
/** The steps that are chosen when the request names none: the first one with at most 300 points. */
const usualSteps = ['1m', '5m', '15m', '1h', '6h', '1d'] as const;
const usualPoints = 300;

const step = z
  .string()
  .regex(/^[1-9]\d{0,3}[mhd]$/, 'must be a step such as 1m, 5m, 1h or 1d')
  .meta({
    description: 'Time between two points; whole hours for what is more than 48 hours ago',
    example: '1h',
    override: { type: 'string', pattern: '^[1-9]\\d{0,3}[mhd]$' },
  })
  .optional();

export const seriesQuery = z.strictObject({
  from: time.meta({ description: 'First point; 24 hours before `to` if absent. At most 31 days ago' }),
  to: time.meta({ description: 'End of the last point; now if absent' }),
  step,
  provider: textFilter.meta({ description: 'Only events of this provider; without attempts and latencies' }),
});

const invalid = (path: string, message: string) =>
  new Problem('invalid', `${path}: ${message}`, { errors: [{ path, message }] });

/**
 * The span of a query in whole steps, which are counted from midnight UTC.
 *
 * @throws Problem `invalid` when the span is empty or too long, or reaches back too far for its step.
 */
export function spanOf(query: z.infer<typeof seriesQuery>, nowMs: number): Span {
  const untilMs = query.to?.getTime() ?? nowMs;
  const sinceMs = query.from?.getTime() ?? untilMs - dayMs;
  if (sinceMs >= untilMs) throw invalid('from', 'must be before `to`');
  if (untilMs > nowMs + dayMs) throw invalid('to', 'must not be more than a day in the future');
  if (sinceMs < nowMs - hoursReachMs) throw invalid('from', 'must be at most 31 days ago');
  const isRecent = sinceMs >= nowMs - minutesReachMs;
  const stepMs = query.step === undefined ? usualStep(untilMs - sinceMs, isRecent) : durationOf(query.step);
  const isWholeHours = stepMs % hourMs === 0;
  if (!isWholeHours && !isRecent)
    throw invalid('step', 'must be whole hours (such as 1h) for what is more than 48 hours ago');
  // Otherwise the hour of the request would decide whether the first point begins within what is kept.
  if (stepMs > (isWholeHours ? hoursReachMs : minutesReachMs))
    throw invalid(
      'step',
      isWholeHours ? 'is too long: at most 31 days' : 'is too long: at most 48 hours if not in whole hours',
    );
  const fromMs = Math.floor(sinceMs / stepMs) * stepMs;
  const toMs = Math.ceil(untilMs / stepMs) * stepMs;
  if (fromMs < nowMs - (isWholeHours ? hoursKeptMs : minutesKeptMs))
    throw invalid('step', `is too long: the first point would begin at ${new Date(fromMs).toISOString()}`);
  const points = (toMs - fromMs) / stepMs;
  if (points > mostPoints)
    throw invalid('step', `makes ${points} points; at most ${mostPoints} are possible, so choose a longer step`);
  return { from: new Date(fromMs), to: new Date(toMs), stepMs, unit: isWholeHours ? 'hours' : 'minutes' };
}

const durationOf = (text: string) => ms(text as ms.StringValue);

function usualStep(lengthMs: number, isRecent: boolean): number {
  const steps = usualSteps.map((text) => ms(text)).filter((stepMs) => isRecent || stepMs >= hourMs);
  return steps.find((stepMs) => lengthMs / stepMs <= usualPoints) ?? dayMs;
}

/** A step as the answer names it: `90m`, `6h`, `1d`. */
export function stepText(stepMs: number): string {
  if (stepMs % dayMs === 0) return `${stepMs / dayMs}d`;
  return stepMs % hourMs === 0 ? `${stepMs / hourMs}h` : `${stepMs / minuteMs}m`;
}

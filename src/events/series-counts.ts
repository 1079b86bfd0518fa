/**
 * What a delta of the statistics adds to the counts of its minute. A replay takes events back out of `delivered` and
 * `failed`, and retention takes rejected webhooks out of `stored` and `rejected`, by negative numbers. What they had
 * added did happen, so only positive numbers count.
 *
 * A delta is the sum of one statement for one provider and hour of receipt. `record_outcomes` is the only statement in
 * which events both become and stop being failed: a manual attempt of a failed event succeeds while another event is
 * exhausted. These two cancel out, so `failed` is too low by one.
 */
export const happened = {
  received: 'greatest(stored, 0) - greatest(rejected, 0) - greatest(siblings, 0)',
  rejected: 'greatest(rejected, 0)',
  delivered: 'greatest(delivered, 0)',
  failed: 'greatest(failed, 0)',
  pending_change: 'pending',
  attempts: 'attempts',
  failed_attempts: 'failed_attempts',
} as const;

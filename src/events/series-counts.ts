/**
 * What a delta of the statistics adds to the counts of its minute. A replay takes events back out of `delivered` and
 * `failed`, and retention takes rejected webhooks out of `stored` and `rejected`, by negative numbers. What they had
 * added did happen, so only positive numbers count.
 */
export const happened = {
  received: 'greatest(stored, 0) - greatest(rejected, 0)',
  rejected: 'greatest(rejected, 0)',
  delivered: 'greatest(delivered, 0)',
  failed: 'greatest(failed, 0)',
  pending_change: 'pending',
  attempts: 'attempts',
} as const;

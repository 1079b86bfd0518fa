import { z } from 'zod';

/** The kinds of messages that a destination can get (docs/notifications.md), in the order in which they are shown. */
export const destinationKinds = ['delivery.failed', 'incident.opened', 'incident.resolved'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

/** What a destination gets unless it says otherwise. */
export const defaultKinds: readonly DestinationKind[] = ['delivery.failed'];

/** The kinds of a destination, as they are sent. One that gets nothing is refused: `enabled` turns a destination off. */
export const givenKinds = z
  .array(z.enum(destinationKinds))
  .min(1)
  .max(destinationKinds.length)
  .refine((kinds) => new Set(kinds).size === kinds.length, 'must not repeat a kind')
  .meta({
    description: 'The kinds of messages that the destination gets. By default only `delivery.failed`',
    examples: [['delivery.failed', 'incident.opened', 'incident.resolved']],
  });

/** The stored kinds in their order. A kind of a later release is left out, because this one does not send it. */
export const knownKinds = (stored: readonly string[]): DestinationKind[] =>
  destinationKinds.filter((kind) => stored.includes(kind));

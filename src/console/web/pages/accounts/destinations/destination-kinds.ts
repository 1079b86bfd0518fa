import type { Destination } from './destination-types.ts';

export type DestinationKind = Destination['kinds'][number];

/** The kinds of messages in the words of the form, and in those of the list. */
export const kindTexts: Record<DestinationKind, { label: string; hint?: string; listed: string }> = {
  'delivery.failed': { label: 'all attempts of an event have failed', listed: 'failed events' },
  'incident.opened': {
    label: 'an incident opens',
    hint: 'Again every 4 hours, until it is acknowledged or resolved.',
    listed: 'opened incidents',
  },
  'incident.resolved': { label: 'an incident is resolved', listed: 'resolved incidents' },
};

export const kinds: readonly DestinationKind[] = ['delivery.failed', 'incident.opened', 'incident.resolved'];

/** What a destination gets, in words. */
export const kindsText = ({ kinds }: Pick<Destination, 'kinds'>) =>
  kinds.map((kind) => kindTexts[kind].listed).join(', ');

import type { DestinationKind } from './destination-kinds.ts';
import type { Destination, DestinationChange, DestinationType, NewDestination } from './destination-types.ts';

/** What stands in the form. */
export interface Draft {
  type: DestinationType;
  name: string;
  url: string;
  /** Only a new one; the API never shows the stored one. */
  secret: string;
  removesSecret: boolean;
  /** One address a line. */
  addresses: string;
  includePayload: boolean;
  webhookUrl: string;
  kinds: DestinationKind[];
  condition: string;
}

const empty: Draft = {
  ...{ type: 'webhook', name: '', url: '', secret: '', removesSecret: false },
  ...{ addresses: '', includePayload: false, webhookUrl: '', kinds: ['delivery.failed'], condition: '' },
};

/** The draft of a stored destination, or of a new one. */
export function draftOf(stored: Destination | null): Draft {
  if (!stored) return empty;
  const { config, destination_type: type, name } = stored;
  const draft = { ...empty, type, name, kinds: stored.kinds, condition: stored.condition ?? '' };
  if ('url' in config) return { ...draft, url: config.url };
  if ('webhook_url' in config) return { ...draft, webhookUrl: config.webhook_url };
  return { ...draft, addresses: config.addresses.join('\n'), includePayload: config.include_payload ?? false };
}

const addressesOf = ({ addresses }: Draft) => addresses.split(/[\s,;]+/).filter((address) => address !== '');
/** An empty condition is the default. */
const conditionOf = ({ condition }: Draft) => (condition.trim() === '' ? null : condition);

/** The body that creates the destination. */
export function newDestination(draft: Draft): NewDestination {
  const common = { name: draft.name.trim(), kinds: draft.kinds, condition: conditionOf(draft) };
  switch (draft.type) {
    case 'webhook': {
      const secret = draft.secret === '' ? {} : { secret: draft.secret };
      return { ...common, destination_type: 'webhook', config: { url: draft.url.trim(), ...secret } };
    }
    case 'email':
      return {
        ...common,
        destination_type: 'email',
        config: { addresses: addressesOf(draft), include_payload: draft.includePayload },
      };
    case 'chat_one':
    case 'chat_two':
      return { ...common, destination_type: draft.type, config: { webhook_url: draft.webhookUrl.trim() } };
  }
}

/** The body that changes the stored destination: only what is different. */
export function changeOf(stored: Destination, draft: Draft): DestinationChange {
  const { name, kinds = [], condition, destination_type, config } = newDestination(draft);
  const before = draftOf(stored);
  const isOtherType = destination_type !== stored.destination_type;
  const isSame = ['url', 'addresses', 'includePayload', 'webhookUrl', 'secret'].every(
    (field) => draft[field as keyof Draft] === before[field as keyof Draft],
  );
  const secret = draft.removesSecret && !isOtherType ? { secret: null } : {};
  return {
    ...(name === stored.name ? {} : { name }),
    ...(kinds.join() === stored.kinds.join() ? {} : { kinds }),
    ...(condition === stored.condition ? {} : { condition }),
    ...(isOtherType ? { destination_type } : {}),
    ...(isSame && !draft.removesSecret && !isOtherType ? {} : { config: { ...config, ...secret } }),
  };
}

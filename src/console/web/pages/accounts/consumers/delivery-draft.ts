import type { Consumer, ConsumerChange } from './consumer-types.ts';

type Authentication = NonNullable<ConsumerChange['authentication']>;
export type AuthenticationType = NonNullable<Consumer['authentication']>['type'] | 'none';

/** How the consumer is reached, as it stands in the form. */
export interface DeliveryDraft {
  /** `name: value` in each line. */
  headers: string;
  authentication: AuthenticationType;
  /** The username, or the name of the header. */
  user: string;
  /** Only a new one; the API never shows the stored one. */
  credential: string;
  timeout: string;
  /** Delays between commas. */
  schedule: string;
  /** Statuses between commas. */
  success: string;
  final: string;
}

/** A schedule without delays, as it stands in the form. */
const noRetries = 'none';

/** The draft of a stored consumer, or of a new one. */
export function deliveryDraftOf(stored: Consumer | null): DeliveryDraft {
  const {
    headers = {},
    authentication = null,
    timeout = null,
    schedule = null,
    success = null,
    final = null,
  } = stored ?? {};
  return {
    headers: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    ...{ authentication: authentication?.type ?? 'none', credential: '' },
    user: authentication?.username ?? authentication?.name ?? '',
    schedule: schedule === null ? '' : schedule.length === 0 ? noRetries : schedule.join(', '),
    ...{ timeout: timeout ?? '', success: success?.join(', ') ?? '', final: final?.join(', ') ?? '' },
  };
}

/** Whether something differs from the usual. */
export const hasDelivery = (draft: DeliveryDraft) =>
  draft.authentication !== 'none' ||
  [draft.headers, draft.timeout, draft.schedule, draft.success, draft.final].some((text) => text !== '');

/** The fields of the draft that differ from the draft before, as the API takes them. */
export function deliveryChange(before: DeliveryDraft, now: DeliveryDraft): ConsumerChange {
  const changes = (...fields: (keyof DeliveryDraft)[]) => fields.some((field) => before[field] !== now[field]);
  return {
    ...(changes('headers') && { headers: headersOf(now.headers) }),
    ...(changes('authentication', 'user', 'credential') && { authentication: authenticationOf(now) }),
    ...(changes('timeout') && { timeout: now.timeout.trim() === '' ? null : now.timeout.trim() }),
    ...(changes('schedule') && { schedule: now.schedule.trim() === noRetries ? [] : listOf(now.schedule) }),
    ...(changes('success') && { success: listOf(now.success) }),
    ...(changes('final') && { final: listOf(now.final) }),
  };
}

function headersOf(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':');
    // The API says what is wrong with a name that is none.
    return colon < 0 ? [line.trim(), ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return pairs.length === 0 ? null : Object.fromEntries(pairs);
}

function listOf(text: string): string[] | null {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.length === 0 ? null : entries;
}

function authenticationOf({ authentication: type, user, credential }: DeliveryDraft): Authentication | null {
  switch (type) {
    case 'basic':
      return { type, username: user, password: credential };
    case 'bearer':
      return { type, token: credential };
    case 'header':
      return { type, name: user.trim(), value: credential };
    case 'none':
    case 'unreadable':
      return null;
    default:
      return type satisfies never;
  }
}

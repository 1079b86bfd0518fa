import type { Consumer, ConsumerChange } from './consumer-types.ts';

type Authentication = NonNullable<ConsumerChange['authentication']>;
export type AuthenticationType = NonNullable<Consumer['authentication']>['type'] | 'none';

/** How the consumer is reached, as it stands in the form. */
export interface DeliveryDraft {
  /** `name: value` in each line. */
  headers: string;
  authentication: AuthenticationType;
  /** The username, the name of the header, or the id of the client. */
  user: string;
  /** Password, token, value, secret or key. Only a new one; the API never shows the stored one. */
  credential: string;
  tokenUrl: string;
  scope: string;
  audience: string;
  clientAuth: 'basic' | 'body';
  certificate: string;
  /** Authorities in PEM. */
  ca: string;
  /** Empty: the secret signs. */
  signature: '' | 'ed25519' | 'unreadable';
  timeout: string;
  /** Delays between commas. */
  schedule: string;
  /** Statuses between commas. */
  success: string;
  final: string;
}

/** What the fields of the form need. */
export interface DeliveryFieldsProps {
  draft: DeliveryDraft;
  /** What is stored: its secret stays as long as nothing of the authentication is changed. */
  stored: DeliveryDraft;
  errors: ReadonlyMap<string, string>;
  change(part: Partial<DeliveryDraft>): void;
}

/** The option of what is stored and does not decrypt. */
export const unreadable = ['unreadable', 'Cannot be read with the present SECRETS_KEY'] as const;

/** A schedule without delays, as it stands in the form. */
const noRetries = 'none';

/** The draft of a stored consumer, or of a new one. */
export function deliveryDraftOf(stored: Consumer | null): DeliveryDraft {
  const {
    headers = {},
    authentication = null,
    ca = null,
    signature = null,
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
    user: authentication?.username ?? authentication?.name ?? authentication?.client_id ?? '',
    ...{ tokenUrl: authentication?.token_url ?? '', scope: authentication?.scope ?? '' },
    ...{ audience: authentication?.audience ?? '', clientAuth: authentication?.client_auth ?? 'basic' },
    ...{ certificate: authentication?.certificate ?? '', ca: ca ?? '', signature: signature ?? '' },
    schedule: schedule === null ? '' : schedule.length === 0 ? noRetries : schedule.join(', '),
    ...{ timeout: timeout ?? '', success: success?.join(', ') ?? '', final: final?.join(', ') ?? '' },
  };
}

/** The fields that are stored together: a change of one needs the secret again. */
const authenticationFields = [
  ...(['authentication', 'user', 'credential', 'tokenUrl', 'scope', 'audience', 'clientAuth', 'certificate'] as const),
] as const satisfies (keyof DeliveryDraft)[];

/** Whether the authentication is the stored one, so that its secret stays if none is entered. */
export const isStoredAuthentication = (stored: DeliveryDraft, now: DeliveryDraft) =>
  authenticationFields.every((field) => field === 'credential' || stored[field] === now[field]);

/** Whether something differs from the usual. */
export const hasDelivery = (draft: DeliveryDraft) =>
  draft.authentication !== 'none' ||
  [draft.headers, draft.ca, draft.signature, draft.timeout, draft.schedule, draft.success, draft.final].some(
    (text) => text !== '',
  );

/** The fields of the draft that differ from the draft before, as the API takes them. */
export function deliveryChange(before: DeliveryDraft, now: DeliveryDraft): ConsumerChange {
  const changes = (...fields: (keyof DeliveryDraft)[]) => fields.some((field) => before[field] !== now[field]);
  return {
    ...(changes('headers') && { headers: headersOf(now.headers) }),
    ...(changes(...authenticationFields) && { authentication: authenticationOf(now) }),
    ...(changes('ca') && { ca: now.ca.trim() === '' ? null : now.ca }),
    ...(changes('signature') && { signature: now.signature === 'ed25519' ? now.signature : null }),
    ...(changes('timeout') && { timeout: now.timeout.trim() === '' ? null : now.timeout.trim() }),
    ...(changes('schedule') && { schedule: now.schedule.trim() === noRetries ? [] : listOf(now.schedule) }),
    ...(changes('success') && { success: listOf(now.success) }),
    ...(changes('final') && { final: listOf(now.final) }),
  };
}

/** A header on several lines becomes one, as RFC 9110, section 5.3, joins them. */
function headersOf(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const headers = new Map<string, string>();
  for (const line of lines) {
    // The API says what is wrong with a name that is none.
    const colon = line.includes(':') ? line.indexOf(':') : line.length;
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers.size === 0 ? null : Object.fromEntries(headers);
}

function listOf(text: string): string[] | null {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.length === 0 ? null : entries;
}

function authenticationOf(draft: DeliveryDraft): Authentication | null {
  const { authentication: type, user, credential, tokenUrl, scope, audience, clientAuth, certificate } = draft;
  switch (type) {
    case 'basic':
      return { type, username: user, password: credential };
    case 'bearer':
      return { type, token: credential };
    case 'header':
      return { type, name: user.trim(), value: credential };
    case 'oauth2':
      return {
        ...{ type, token_url: tokenUrl.trim(), client_id: user, client_secret: credential, client_auth: clientAuth },
        ...(scope.trim() !== '' && { scope: scope.trim() }),
        ...(audience.trim() !== '' && { audience: audience.trim() }),
      };
    case 'mtls':
      return { type, certificate, key: credential };
    case 'none':
    case 'unreadable':
      return null;
    default:
      return type satisfies never;
  }
}

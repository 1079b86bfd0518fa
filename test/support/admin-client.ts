import type { ReadEventState } from './event-changes.ts';
import { growingPauses } from './pauses.ts';
import { defaultLimitMs, until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export interface AdminClient {
  request(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates an account, which skips verification unless `fields` say otherwise. */
  createAccount(fields: Record<string, unknown>): Promise<Json>;
  event(id: string): Promise<Json>;
  /** Reads the event until `wanted` holds, and returns it. */
  eventually(id: string, wanted: (event: Json) => boolean, limitMs?: number): Promise<Json>;
  post(path: string, body?: unknown): Promise<Answer>;
}

/**
 * A client of the admin API, as a script of an operator.
 *
 * @param readState reads the state of an event from the database, so that `eventually` asks again only after a change
 * @param history what the event's workflow did, for the error of `eventually`
 */
export function adminClient(
  baseUrl: string,
  token: string,
  readState?: ReadEventState,
  history: (eventId: string) => Promise<string> = async () => '',
): AdminClient {
  const client: AdminClient = {
    async request(method, path, body) {
      const headers: Record<string, string> = { 'x-admin-token': token };
      if (body !== undefined) headers['content-type'] = 'application/json';
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
    },
    post: (path, body) => client.request('POST', path, body),
    async createAccount(fields) {
      const account = {
        provider: 'generic',
        account_slug: `a-${Math.random().toString(36).slice(2, 10)}`,
        app_key: 'tests',
        skip_signature_verification: true,
        ...fields,
      };
      const created = await answeredInTime(() => client.post('/admin/accounts', account));
      if (created.status !== 201) throw new Error(`no account: ${JSON.stringify(created.body)}`);
      return created.body;
    },
    async event(id) {
      const answer = await client.request('GET', `/admin/events/${id}`);
      if (answer.status !== 200) throw new Error(`no event: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async eventually(id, wanted, limitMs = defaultLimitMs) {
      const endMs = Date.now() + limitMs;
      const pause = growingPauses();
      for (;;) {
        // Read before the event itself, so that no change is missed.
        const state = await readState?.(id);
        const { status, body } = await client.request('GET', `/admin/events/${id}`);
        const isLate = isDatabaseLate({ status, body });
        if (status !== 200 && !isLate) throw new Error(`no event: ${JSON.stringify(body)}`);
        if (!isLate && wanted(body)) return body;
        if (Date.now() > endMs)
          throw new Error(
            ['the event did not reach the wanted state', await history(id), JSON.stringify(withoutPayload(body))].join(
              '\n',
            ),
          );
        await (state ? state.changed() : pause());
      }
    },
  };
  return client;
}

/**
 * Sends a call, and again while the database answers it too late, as it may one of many calls of a busy machine. Such a call
 * has no effect unless its statement was under way.
 */
export const answeredInTime = (send: () => Promise<Answer>): Promise<Answer> =>
  until('the database answers in time', async () => {
    const answer = await send();
    return !isDatabaseLate(answer) && answer;
  });

const isDatabaseLate = ({ status, body }: Pick<Answer, 'status' | 'body'>) =>
  status === 503 && body?.code === 'database_unavailable';

const withoutPayload = (event: Json) => ({ ...event, payload: undefined, headers: undefined });

export type Webhook = [
  account: { provider: string; account_slug: string },
  body: string | Uint8Array<ArrayBuffer>,
  headers?: Record<string, string>,
  query?: string,
];

/** Sends a webhook as a provider does, by default as JSON, and returns the answer with its JSON body. */
export async function send(
  baseUrl: string,
  ...[account, body, headers = { 'content-type': 'application/json' }, query = '']: Webhook
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/${account.provider}/${account.account_slug}${query}`, {
    method: 'POST',
    headers,
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

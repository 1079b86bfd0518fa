import { z } from 'zod';
import { DemoError } from './demo-error.ts';
import type { Settings } from './settings.ts';

const accountSchema = z.object({ id: z.string(), provider: z.string(), account_slug: z.string() });
const acceptedSchema = z.object({ id: z.string(), external_id: z.string(), event_type: z.string().nullable() });
const eventSchema = z.object({
  id: z.string(),
  status: z.string(),
  delivery_status: z.string().nullable(),
  received_at: z.string(),
  next_attempt_at: z.string().nullable(),
  last_error: z.string().nullable(),
  delivery_history: z.array(
    z.object({
      number: z.number(),
      started_at: z.string(),
      duration_ms: z.number(),
      outcome: z.string(),
      response_code: z.number().nullable(),
      error: z.string().nullable(),
    }),
  ),
  workflow: z.object({ id: z.string(), url: z.string().nullable() }).nullable(),
});

export type Account = z.infer<typeof accountSchema>;
export type Accepted = z.infer<typeof acceptedSchema>;
export type DemoEvent = z.infer<typeof eventSchema>;
export type DemoAttempt = DemoEvent['delivery_history'][number];

/** A webhook as a provider sends it. */
export interface Webhook {
  query: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

/** Longer than any answer of a gateway takes. */
const limitMs = 15_000;

/** An HTTP client of the gateway, for operators and providers. All its errors are DemoErrors. */
export class Gateway {
  readonly url: string;
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.url = settings.gatewayUrl;
    this.#settings = settings;
  }

  /** Checks that a gateway runs, is ready and accepts the token. */
  async check(): Promise<void> {
    const ready = await this.#fetch('/health/ready', {});
    if (ready.status === 503)
      throw new DemoError(`The gateway at ${this.url} is up, but its database is not available.`);
    if (ready.status !== 200 || (await ready.text()) !== '{"status":"ok"}')
      throw new DemoError(`The server at ${this.url} is not a webhook gateway.`);
    await this.#admin('GET', '/admin/accounts?app_key=demo');
  }

  /** @throws DemoError, also when the gateway refuses the address of the consumer. */
  async createAccount(fields: Record<string, unknown> & { delivery_url: string }): Promise<Account> {
    try {
      return accountSchema.parse(await this.#admin('POST', '/admin/accounts', fields));
    } catch (error) {
      if (!(error instanceof DemoError) || !error.message.includes('DELIVERY_ALLOWED_NETWORKS')) throw error;
      throw new DemoError(notReached(this.url, fields.delivery_url, 'It refuses this address.'));
    }
  }

  async deleteAccount(id: string): Promise<void> {
    await this.#admin('DELETE', `/admin/accounts/${id}`);
  }

  async event(id: string): Promise<DemoEvent> {
    return eventSchema.parse(await this.#admin('GET', `/admin/events/${id}`));
  }

  async send(account: Account, { query, headers, body }: Webhook): Promise<Accepted> {
    const path = `/${account.provider}/${account.account_slug}`;
    const response = await this.#fetch(`${path}${query}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== 202) throw new DemoError(`POST ${path} was answered ${response.status}: ${text}`);
    return acceptedSchema.parse(JSON.parse(text));
  }

  async #admin(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers: Record<string, string> = { 'x-admin-token': this.#settings.token };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await this.#fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 401)
      throw new DemoError(
        `The gateway at ${this.url} refused the admin token of ${this.#settings.tokenSource}.\n` +
          'Set ADMIN_TOKEN to a token of that gateway, or DATA_DIR to its data folder.',
      );
    if (!response.ok) throw new DemoError(`${method} ${path} was answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${this.url}${path}`, { ...init, signal: AbortSignal.timeout(limitMs) });
    } catch {
      throw new DemoError(
        `No gateway answers at ${this.url}.\n` +
          'Start one in another terminal with npm start, or set GATEWAY_URL to where it runs.',
      );
    }
  }
}

/** That the gateway does not reach the consumer of the demo, and what to do. */
export const notReached = (gatewayUrl: string, consumerUrl: string, why: string) =>
  `The gateway at ${gatewayUrl} does not reach the consumer of this demo at ${consumerUrl}.\n${why}\n` +
  'Run the demo on the machine that delivers. A gateway that was not started with npm start\n' +
  'delivers to this machine itself only with DELIVERY_ALLOWED_NETWORKS=127.0.0.0/8.';

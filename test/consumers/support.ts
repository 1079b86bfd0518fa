import { expect } from 'vitest';
import type { Answer } from '../support/admin-client.ts';
import type { TestGateway } from '../support/gateway.ts';

export const uuidv7 = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
export const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The settings of a consumer that say how it is reached, of which none was set. */
export const reachedAsUsual = {
  secret_previous_expires_at: null,
  signature: null,
  public_key: null,
  headers: {},
  authentication: null,
  ca: null,
  timeout: null,
  schedule: null,
  success: null,
  final: null,
  warnings: [],
};

/** The routes of an account's consumers. */
export function consumersOf({ admin }: Pick<TestGateway, 'admin'>, accountId: string) {
  const base = `/admin/accounts/${accountId}/consumers`;
  const at = (name: string) => `${base}/${encodeURIComponent(name)}`;
  const client = {
    base,
    list: () => admin.request('GET', base),
    post: (body: unknown): Promise<Answer> => admin.request('POST', base, body),
    get: (name: string) => admin.request('GET', at(name)),
    patch: (name: string, body: unknown) => admin.request('PATCH', at(name), body),
    delete: (name: string) => admin.request('DELETE', at(name)),
    pause: (name: string, body?: unknown) => admin.request('POST', `${at(name)}/pause`, body),
    resume: (name: string) => admin.request('POST', `${at(name)}/resume`),
    backfill: (name: string, order: object) => admin.request('POST', `${at(name)}/backfill`, order),
    /** The consumer with this name, created with the least that is needed. */
    async made(name: string, fields: Record<string, unknown> = {}) {
      const { status, body } = await client.post({ name, url: `https://${name}.test/hook`, ...fields });
      if (status !== 201) throw new Error(`no consumer: ${JSON.stringify(body)}`);
      return body;
    },
    async names(): Promise<string[]> {
      const { body } = await client.list();
      return body.map(({ name }: { name: string }) => name);
    },
  };
  return client;
}

export type Consumers = ReturnType<typeof consumersOf>;

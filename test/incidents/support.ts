import type { IncidentPace } from '../../src/incidents/judging/times.ts';
import { answeredInTime } from '../support/admin-client.ts';
import type { Consumer, Reply } from '../support/consumer.ts';
import type { TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields of answers
type Json = any;

/** Counts and judges several times a second, with the times of the rules as they are. */
export const quickPace: IncidentPace = { flushMs: 100, judgeMs: 100, watchMs: 200 };

/** As `quickPace`, and incidents resolve after 1.5 s without a failure. */
export const shortPace: IncidentPace = {
  ...quickPace,
  times: { quietS: 1.5, quietAgainS: 3, windowS: 15, reopensS: 60 },
};

/** As `shortPace`, and incidents resolve after 30 s without a failure: longer than a busy machine holds up the next one. */
export const flappingPace: IncidentPace = { ...shortPace, times: { ...shortPace.times, quietS: 30 } };

/** Answers with a status and a text. */
export const answer =
  (status: number, text: string): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);

/** Answers each delivery with the result of a function that is called for it. */
export const answers =
  (next: () => [status: number, text: string]): Reply =>
  (response) => {
    const [status, text] = next();
    response.writeHead(status).end(text);
  };

let sent = 0;

/** The incidents of a gateway. */
export function incidentsOf(gateway: Pick<TestGateway, 'admin'>) {
  const list = async (query = ''): Promise<Json[]> => {
    const { status, body } = await answeredInTime(() => gateway.admin.request('GET', `/admin/incidents${query}`));
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  };
  return {
    list,
    /** Waits until the account has exactly these causes, in any order. */
    causes: (accountId: string, wanted: readonly string[], query = '') =>
      until(
        `the account has incidents of ${wanted.join(', ')}`,
        async () => {
          const found = await list(`?account_id=${accountId}${query}`);
          const causes = found.map(({ cause }) => cause);
          if (JSON.stringify(causes.sort()) !== JSON.stringify([...wanted].sort()))
            throw new Error(`it has ${JSON.stringify(found)}`);
          return found;
        },
        { retryErrors: true },
      ),
    /** Waits for one incident of the account that `wanted` holds for. */
    one: (accountId: string, wanted: (incident: Json) => boolean = () => true): Promise<Json> =>
      until(
        'the account has such an incident',
        async () => {
          const found = await list(`?account_id=${accountId}`);
          const match = found.find(wanted);
          if (!match) throw new Error(`it has ${JSON.stringify(found)}`);
          return match;
        },
        { retryErrors: true },
      ),
    read: (id: string) => gateway.admin.request('GET', `/admin/incidents/${id}`),
    patch: (id: string, body: unknown) => gateway.admin.request('PATCH', `/admin/incidents/${id}`, body),
  };
}

/** Sends webhooks to an account, each of which is another event, and waits until the consumer got them. */
export async function sendSome(
  gateway: TestGateway,
  account: { provider: string; account_slug: string },
  consumer: Consumer,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const before = consumer.deliveries.length;
    const { status, body } = await gateway.send(account, JSON.stringify({ id: `i-${++sent}`, type: 'order' }));
    if (status !== 202) throw new Error(`not accepted: ${status}`);
    ids.push(body.id);
    await until('the consumer got the webhook', () => consumer.deliveries.length > before);
  }
  return ids;
}

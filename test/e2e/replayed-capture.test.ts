import { expect, test } from 'vitest';
import type { Sample } from '../support/providers/sample.ts';
import { standard } from '../support/providers/standard.ts';
import { stripe } from '../support/providers/stripe.ts';
import { useGateway } from '../support/use-gateway.ts';

// A captured webhook that is sent again (docs/providers.md, "Resent webhooks"). Hours pass in these tests by moving the
// expiry of the deduplication key.

// Without a worker, events stay in the queue, which shows the time of their statement.
const gateway = useGateway({ worker: false });

const hourS = 3_600;
/** The least time that is left in a test: much longer than a test takes. */
const marginS = 120;

/** An account, and a webhook of it whose signed time is `aheadS` in the future. */
async function capture(sample: Sample, { toleranceS, aheadS }: { toleranceS: number; aheadS: number }) {
  const { secret, sign } = sample.newKey();
  const account = await gateway.admin.createAccount({
    ...{ provider: sample.provider, skip_signature_verification: false, signing_secret_current: secret },
    provider_config: { tolerance_seconds: toleranceS },
  });
  const { body } = sample.event('evt_captured');
  const at = new Date(Date.now() + aheadS * 1_000);
  const { headers } = await sign({ body: Buffer.from(body), at, url: '' });
  const post = () => gateway.send(account, body, Object.fromEntries(headers));
  return { account, post };
}

const pass = (id: string, seconds: number) =>
  gateway.rows(`update event_dedup set expires_at = expires_at - make_interval(secs => $2) where event_id = $1`, [
    id,
    seconds,
  ]);

/** Seconds from the statement that stored the event until its deduplication key expires. */
async function keptS(id: string): Promise<number> {
  const [key] = await gateway.rows(
    `select extract(epoch from d.expires_at - q.lane_since)::double precision as s from event_dedup d join event_queue q using (event_id) where event_id = $1`,
    [id],
  );
  return key?.s;
}

test.each([standard, stripe])(
  'of $provider is a duplicate for as long as its signed time is accepted',
  async (sample) => {
    const toleranceS = 24 * hourS;
    const { post } = await capture(sample, { toleranceS, aheadS: toleranceS - marginS });
    const first = await post();
    expect(first).toMatchObject({ status: 202, body: { duplicate: false } });
    await pass(first.body.id, 2 * toleranceS - marginS);
    expect(await post()).toMatchObject({ status: 202, body: { id: first.body.id, duplicate: true } });
  },
);

test('stays a duplicate when the tolerance of its account is raised', async () => {
  const { account, post } = await capture(stripe, { toleranceS: 300, aheadS: 300 - marginS });
  const first = await post();
  expect(first).toMatchObject({ status: 202, body: { duplicate: false } });
  await gateway.admin.request('PATCH', `/admin/accounts/${account.id}`, {
    provider_config: { tolerance_seconds: 24 * hourS },
  });
  await pass(first.body.id, 24 * hourS + 300 - marginS);
  expect(await post()).toMatchObject({ status: 202, body: { id: first.body.id, duplicate: true } });
});

test.each([
  [300, 25 * hourS + 300],
  [24 * hourS, 49 * hourS],
])('with a tolerance of %i s, its key is kept for %i s', async (toleranceS, expected) => {
  const { post } = await capture(stripe, { toleranceS, aheadS: 0 });
  expect(await keptS((await post()).body.id)).toBe(expected);
});

test('the key of a webhook without a signed time is kept for 24 hours', async () => {
  const account = await gateway.admin.createAccount({});
  const { body } = await gateway.send(account, '{"id":"untimed"}');
  expect(await keptS(body.id)).toBe(24 * hourS);
});

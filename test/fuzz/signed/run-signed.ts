import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as startRequest } from 'node:http';
import fc from 'fast-check';
import { type Place, type Reading, readingsOf, textOf } from './readings.ts';
import { requests, type Scheme, schemes } from './schemes.ts';

/** Of each accepted scheme, and of the requests with the same signed text. More would only repeat the others. */
const limits = { texts: 3, readings: 30 };
const secret = 'fuzz-signing-secret';

/**
 * Creates accounts with generated schemes of `hmac`. Of each that is accepted, a usual webhook must be accepted, and of
 * all requests with the same signed text at most one.
 *
 * @returns what is wrong, and how many webhooks were sent
 */
export async function runSigned(
  gateway: { baseUrl: string; adminToken: string },
  { seed, accounts }: { seed: number; accounts: number },
): Promise<[string[], number]> {
  const wrong: string[] = [];
  let sent = 0;
  for (const scheme of fc.sample(schemes, { seed, numRuns: accounts })) {
    const slug = `signed-${randomBytes(6).toString('hex')}`;
    const status = await create(gateway, slug, scheme);
    const place = { origin: gateway.baseUrl, path: `/hmac/${slug}` };
    const fault = (what: string) => wrong.push(`signed as ${JSON.stringify(scheme.signed)}: ${what}`);
    if (status !== 201) {
      if (status !== 422) fault(`the account was answered by ${status}`);
      continue;
    }
    const now = scheme.timestamp_unit === 'seconds' ? Math.floor(Date.now() / 1000) : Date.now();
    const times = [String(now), String(now + 1)];
    const usual = { id: 'evt_1.a-b', time: String(now), target: `${place.path}?a=1.5`, body: '{"a":1.5}' };
    const answer = await send(place, textOf(inBytes(scheme.signed), place, usual), usual);
    if (answer !== 202) fault(`a usual webhook was answered by ${answer}`);
    for (const request of fc.sample(requests(place, times), { seed, numRuns: limits.texts })) {
      const text = textOf(inBytes(scheme.signed), place, request);
      const readings = readingsOf(inBytes(scheme.signed), place, text).slice(0, limits.readings);
      const statuses = await Promise.all(readings.map((reading) => send(place, text, reading)));
      sent += statuses.length + 1;
      const accepted = readings.filter((_, index) => statuses[index] === 202);
      if (accepted.length > 1) fault(`one signature was valid for ${JSON.stringify(accepted)}`);
      const other = statuses.find((one) => one !== 202 && one !== 401);
      if (other !== undefined) fault(`a webhook was answered by ${other}`);
    }
  }
  return [wrong, sent];
}

const inBytes = (text: string) => Buffer.from(text).toString('latin1');

async function create(
  { baseUrl, adminToken }: { baseUrl: string; adminToken: string },
  account_slug: string,
  provider_config: Scheme,
): Promise<number> {
  const { status } = await fetch(`${baseUrl}/admin/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-admin-token': adminToken },
    body: JSON.stringify({
      ...{ provider: 'hmac', account_slug, app_key: 'fuzz', provider_config },
      signing_secret_current: secret,
    }),
  });
  return status;
}

/** Sends a webhook with the signature of `text`, and returns its status. `fetch` would encode parts of the target. */
async function send({ origin }: Place, text: string, { id, time, target, body }: Reading): Promise<number> {
  const bytes = Buffer.from(body, 'latin1');
  const signature = createHmac('sha256', secret).update(Buffer.from(text, 'latin1')).digest('hex');
  const headers = { 'x-signature': signature, 'x-id': id, 'x-time': time, 'content-length': bytes.length };
  const call = startRequest(origin, { method: 'POST', path: target, headers });
  call.end(bytes);
  const [response] = await once(call, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

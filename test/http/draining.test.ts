import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { metricsOf } from '../process/metrics/exposition.ts';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { migratedRoles } from '../support/gateway-roles.ts';
import { until } from '../support/until.ts';
import { useForAll } from '../support/use.ts';

gatewaysEndWithTheirTest();
// The longest: a slow machine needs some seconds for the requests meanwhile.
const roles = useForAll(() => migratedRoles({ SHUTDOWN_DRAIN: '30s' }));

const warning = 'a stop does not wait as long as DELIVERY_TIMEOUT, attempts may be repeated';

/** A client with one connection, which stays open. */
function client() {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  onTestFinished(() => dispatcher.destroy());
  return async (url: string, method: 'GET' | 'POST' = 'GET') => {
    const { statusCode, headers, body } = await request(url, { method, dispatcher });
    const text = await body.text();
    return { status: statusCode, connection: headers.connection, text };
  };
}

test('an api that stops reports it, serves new and open connections for the drain time, and closes each after its answer', async () => {
  const api = await roles.apiHere();
  // After the drain, 10 s are left for an attempt of up to 15 s.
  expect(api.stderr()).toContain(warning);
  const [open, idle] = [client(), client()];
  const path = `${api.baseUrl}/generic/nobody`;
  const first = await open(path, 'POST');
  expect(first).toMatchObject({ status: 404, connection: 'keep-alive' });
  await idle(`${api.baseUrl}/health/live`);
  const stopped = api.stop('SIGTERM');
  const ready = await until('the readiness check fails', async () => {
    const answer = await client()(`${api.baseUrl}/health/ready`);
    return answer.status === 503 && answer;
  });
  expect(ready).toMatchObject({ connection: 'close' });
  expect(JSON.parse(ready.text)).toMatchObject({ code: 'stopping' });
  expect(await open(path, 'POST')).toMatchObject({ status: 404, connection: 'close' });
  expect(await client()(path, 'POST')).toMatchObject({ status: 404, connection: 'close' });
  expect(await client()(`${api.baseUrl}/health/live`)).toMatchObject({ status: 200 });
  expect(await stopped).toMatchObject({ code: 0 });
  await expect(open(path, 'POST')).rejects.toThrow(/ECONNREFUSED/);
});

test('the readiness check on METRICS_PORT fails too, and /metrics answers until the end', async () => {
  const api = await roles.apiHere({ METRICS_PORT: '0', DELIVERY_TIMEOUT: '10s' });
  expect(api.stderr()).not.toContain(warning);
  const place = await metricsOf(api);
  const get = client();
  expect(await get(`${place}/health/ready`)).toMatchObject({ status: 200 });
  const stopped = api.stop('SIGTERM');
  const ready = await until('the readiness check fails', async () => {
    const answer = await get(`${place}/health/ready`);
    return answer.status === 503 && answer;
  });
  expect(JSON.parse(ready.text)).toMatchObject({ code: 'stopping' });
  for (const path of ['/health/live', '/metrics']) expect(await get(`${place}${path}`)).toMatchObject({ status: 200 });
  expect(await stopped).toMatchObject({ code: 0 });
});

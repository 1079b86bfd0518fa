import { expect, test } from 'vitest';
import { startGateway } from './gateway.ts';
import { until } from './until.ts';
import { forTest } from './use.ts';

test('workers that start together start the first attempts of the api once, and these end with them', async () => {
  const gateway = await forTest(startGateway({ worker: false }));
  const apis = async () => (await gateway.rows('select 1 from processes where makes_first_attempts')).length;
  await Promise.all([gateway.startWorker(), gateway.startWorker(), gateway.startWorker()]);
  await until('each says that it lives', async () => (await gateway.rows('select 1 from processes')).length >= 4);
  expect(await apis()).toBe(1);
  await gateway.stopWorker();
  expect(await apis()).toBe(0);
});

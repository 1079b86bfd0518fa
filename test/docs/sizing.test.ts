import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseCompose, readProjectFile } from '../docker/files.ts';

const page = readProjectFile('docs/sizing.md');

const service = z.looseObject({ mem_limit: z.string() });
const composeFile = z.object({ services: z.object({ api: service, worker: service }) });
const resources = z.object({ requests: z.object({ memory: z.string() }), limits: z.object({ memory: z.string() }) });
const chart = z.object({
  api: z.object({ resources }),
  workerDefaults: z.object({ resources }),
});

/** `1 GiB`, as the page writes what Compose (`1g`) and Kubernetes (`1Gi`) call differently. */
const asInPage = (text: string) => text.replace(/^(\d+)([gm])i?$/i, (_, n, unit) => `${n} ${unit.toUpperCase()}iB`);

test('the memory of api and worker is that of the compose file and of the chart', () => {
  const { api, worker } = composeFile.parse(parseCompose()).services;
  const values = chart.parse(parse(readProjectFile('deploy/helm/webhook-gateway/values.yaml')));
  const [ofApi, ofWorker] = [values.api.resources, values.workerDefaults.resources];
  const row = (what: string, one: string, other: string) => `| ${what} | ${asInPage(one)} | ${asInPage(other)} |`;
  for (const expected of [
    row('limit in the compose file', api.mem_limit, worker.mem_limit),
    row('request in the chart', ofApi.requests.memory, ofWorker.requests.memory),
    row('limit in the chart', ofApi.limits.memory, ofWorker.limits.memory),
  ])
    expect(page).toContain(expected);
});

test('every page gives the same rate of a burst, and of the workflows that end', () => {
  const readme = readProjectFile('README.md');
  for (const text of [page, readme]) {
    expect(text).toContain('2,000 to 2,800');
    expect(text).toContain('about 100');
  }
  expect(page.match(/[\d,]+ to [\d,]+ (?=events a second (?:on|in a burst))/g)).toEqual([
    '2,000 to 2,800 ',
    '2,000 to 2,800 ',
  ]);
});

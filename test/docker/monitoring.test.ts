import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/config/config.ts';
import { compose, readProjectFile } from './files.ts';
import { filled, service } from './services.ts';

const read = (path: string): unknown => parse(readProjectFile(path));

test('Prometheus scrapes api and worker on the ports of their metrics', () => {
  const { scrape_configs: jobs } = z
    .looseObject({
      scrape_configs: z.array(
        z.object({
          job_name: z.string(),
          dns_sd_configs: z.array(
            z.object({ names: z.array(z.string()), type: z.literal('A'), port: z.int(), refresh_interval: z.string() }),
          ),
        }),
      ),
    })
    .parse(read('deploy/prometheus/prometheus.yml'));
  const targets = jobs.flatMap(({ dns_sd_configs: found }) => found.map(({ names, port }) => ({ names, port })));
  const api = readConfig('api', service('api').environment ?? {});
  const worker = readConfig('worker', service('worker').environment ?? {});
  expect(targets).toEqual([
    { names: ['api'], port: api.metricsPort ?? api.port },
    { names: ['worker'], port: worker.metricsPort },
  ]);
  for (const { host } of [api, worker]) expect(host).toBe('0.0.0.0');
  // The alert for a process that is away looks for these jobs.
  const pattern = /up\{job=~"([^"]*)"\}/.exec(readProjectFile('deploy/prometheus/rules.yml'))?.[1] ?? '';
  for (const { job_name: name } of jobs) expect(name).toMatch(new RegExp(`^(?:${pattern})$`));
});

test('Grafana has Prometheus as its data source, and the dashboard', () => {
  expect(read('deploy/grafana/provisioning/datasources/prometheus.yml')).toMatchObject({
    datasources: [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }],
  });
  expect(read('deploy/grafana/provisioning/dashboards/webhook-gateway.yml')).toMatchObject({
    providers: [{ type: 'file', options: { path: '/etc/grafana/dashboards' } }],
  });
  expect(service('grafana').volumes).toContain(
    './deploy/grafana/dashboard.json:/etc/grafana/dashboards/webhook-gateway.json:ro',
  );
});

test('api and worker send traces to the collector only when .env says so', () => {
  const endpoint = 'http://otel-collector:4318';
  const traced = compose({ ...filled, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).services;
  for (const name of ['api', 'worker']) {
    expect(service(name).environment?.OTEL_EXPORTER_OTLP_ENDPOINT).toBe('');
    expect(traced[name]?.environment?.OTEL_EXPORTER_OTLP_ENDPOINT).toBe(endpoint);
  }
  const collector = read('deploy/otel/collector.yaml');
  expect(collector).toMatchObject({
    receivers: { otlp: { protocols: { http: { endpoint: `0.0.0.0:${new URL(endpoint).port}` } } } },
    service: { pipelines: { traces: { receivers: ['otlp'] } } },
  });
});

import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { secretText } from '../support/secrets.ts';

const endpoint = 'http://127.0.0.1:4318';
const tracing = (variables: Record<string, string | undefined>) => readConfig('all', variables).tracing;

test.each([
  { variables: {}, on: false },
  { variables: { OTEL_SERVICE_NAME: 'gateway', OTEL_TRACES_SAMPLER: 'always_on' }, on: false },
  { variables: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, on: true },
  { variables: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, on: true },
  { variables: { OTEL_TRACES_EXPORTER: 'otlp' }, on: true },
  { variables: { OTEL_TRACES_EXPORTER: 'console' }, on: true },
  { variables: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }, on: false },
  { variables: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'TRUE' }, on: false },
  { variables: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'false' }, on: true },
  { variables: { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, on: false },
  // Set for all programs of a machine, also what the gateway does not support.
  { variables: { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, on: false },
  { variables: { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_LOGS_EXPORTER: 'console' }, on: false },
])('$variables: tracing is on: $on', ({ variables, on }) => {
  expect(tracing({ ...variables }) !== null).toBe(on);
});

test.each([
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/` }, `${endpoint}/v1/traces`],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.test/prefix' }, 'https://otlp.test/prefix/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otlp.test/own' }, 'https://otlp.test/own'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otlp.test/' },
    'https://otlp.test/',
  ],
])('%j sends to %s', (variables, url) => {
  expect(tracing({ ...variables })?.otlp?.url).toBe(url);
});

test('variables for traces win over those for all signals, and headers of both are sent', () => {
  const { otlp } =
    tracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20all, x-tenant = one',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Bearer%20traces==',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    }) ?? {};
  expect(otlp).toMatchObject({ protocol: 'http/protobuf', timeoutMs: 2000, compression: 'gzip' });
  expect(otlp?.headers).toEqual({ Authorization: 'Bearer traces==', 'x-tenant': 'one' });
});

test('the name of the service wins over the one among the attributes', () => {
  const given = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,deployment.environment.name=%C3%A4',
  };
  expect(tracing(given)?.resource).toEqual({ 'service.name': 'a', 'deployment.environment.name': 'ä' });
  expect(tracing({ ...given, OTEL_SERVICE_NAME: 'b' })?.resource['service.name']).toBe('b');
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://127.0.0.1:4317'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'localhost'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_TRACES_EXPORTER', 'none,otlp'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', '-1'],
  ['OTEL_TRACES_SAMPLER_ARG', '1e-3'],
  ['OTEL_PROPAGATORS', 'b3'],
  ['OTEL_PROPAGATORS', 'none,tracecontext'],
  ['OTEL_SDK_DISABLED', 'yes'],
  ['OTEL_EXPORTER_OTLP_HEADERS', secretText()],
  ['OTEL_EXPORTER_OTLP_HEADERS', `authorization=${secretText()}%0d%0ax: y`],
  ['OTEL_EXPORTER_OTLP_HEADERS', `authorization=${secretText()}%zz`],
  ['OTEL_EXPORTER_OTLP_HEADERS', `not a name=${secretText()}`],
  ['OTEL_RESOURCE_ATTRIBUTES', 'team'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318?tenant=a'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/#a'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4096'],
  ['OTEL_EXPORTER_OTLP_CLIENT_KEY', '/etc/key.pem'],
  ['TRACE_CONTINUE_INBOUND', 'maybe'],
])('%s=%s is refused by its name', (name, value) => {
  const start = () => readConfig('all', { [name]: value });
  expect(start).toThrow(/These settings are wrong:\n {2}- (OTEL|TRACE)_/);
  expect(start).toThrow(
    name === 'OTEL_EXPORTER_OTLP_CLIENT_KEY' ? 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: must be set' : `${name}: `,
  );
  expect(start).not.toThrow(secretText());
});

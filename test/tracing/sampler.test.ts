import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { EventSampler, type Origin } from '../../src/telemetry/tracing/sampler.ts';
import type { TracingSettings } from '../../src/telemetry/tracing/settings.ts';

type SamplerName = TracingSettings['sampler']['name'];

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanOf = (traceFlags: number) => ({ traceId, spanId: 'b7ad6b7169203331', traceFlags, isRemote: true });
const sampled = spanOf(TraceFlags.SAMPLED);
const unsampled = spanOf(TraceFlags.NONE);

const alone: Origin = { parent: null, isForeign: false, webhook: null };
const attemptOf = (webhook: typeof sampled): Origin => ({ ...alone, webhook });
const partOf = (parent: typeof sampled): Origin => ({ ...alone, parent: trace.setSpanContext(ROOT_CONTEXT, parent) });
const continuing = (sender: typeof sampled): Origin => ({ ...partOf(sender), isForeign: true });

function samplerOf(name: SamplerName, tracesPerSecond = 0, ratio = 1) {
  const clock = { ms: 0 };
  const sampler = new EventSampler({ sampler: { name, ratio }, tracesPerSecond }, () => clock.ms);
  return { records: (origin = alone) => sampler.records(traceId, origin), clock };
}

test.each<[SamplerName, typeof sampled, boolean]>([
  ['parentbased_always_on', sampled, true],
  ['parentbased_always_on', unsampled, false],
  ['parentbased_always_off', sampled, true],
  ['parentbased_traceidratio', sampled, true],
  ['parentbased_traceidratio', unsampled, false],
  ['always_on', unsampled, true],
  ['always_off', sampled, false],
])('%s: an attempt of the webhook %o is recorded: %s', (name, webhook, recorded) => {
  expect(samplerOf(name, 0, 0.5).records(attemptOf(webhook))).toBe(recorded);
});

test('an attempt of a webhook that was received without tracing is decided by the sampler itself', () => {
  expect(samplerOf('parentbased_always_on').records()).toBe(true);
  expect(samplerOf('parentbased_always_off').records()).toBe(false);
});

test('at most so many traces are begun in a second, and in each second again', () => {
  const { records, clock } = samplerOf('parentbased_always_on', 3);
  const begun = (count: number) => Array.from({ length: count }, () => records()).filter(Boolean).length;
  expect(begun(10)).toBe(3);
  clock.ms = 999;
  expect(begun(10)).toBe(0);
  clock.ms = 1_000;
  expect(begun(10)).toBe(3);
});

test('spans of a trace and attempts of an event that are recorded do not count', () => {
  const { records } = samplerOf('parentbased_always_on', 1);
  expect(records()).toBe(true);
  for (const origin of [partOf(sampled), attemptOf(sampled)]) expect(records(origin)).toBe(true);
  expect(records()).toBe(false);
});

test('traces that senders have begun count', () => {
  const { records } = samplerOf('parentbased_always_on', 1);
  expect(records(continuing(sampled))).toBe(true);
  expect(records(continuing(sampled))).toBe(false);
});

test('parts of an unsampled trace count where the sampler records them', () => {
  const { records } = samplerOf('always_on', 1);
  expect(records(partOf(unsampled))).toBe(true);
  expect(records(partOf(unsampled))).toBe(false);
});

test('what the sampler leaves out does not count', () => {
  const { records } = samplerOf('parentbased_always_on', 1);
  for (let n = 0; n < 5; n++) expect(records(partOf(unsampled))).toBe(false);
  expect(records()).toBe(true);
});

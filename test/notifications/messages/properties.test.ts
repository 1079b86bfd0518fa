import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventRow } from '../../../src/events/event.ts';
import { chatOneMessage } from '../../../src/notifications/messages/chat-one-message.ts';
import { chatTwoMessage } from '../../../src/notifications/messages/chat-two-message.ts';
import { emailMessage } from '../../../src/notifications/messages/email-message.ts';
import { webhookMessage } from '../../../src/notifications/messages/webhook-message.ts';
import type { FailureNotice, IncidentNotice, SummaryNotice, ToldIncident } from '../../../src/notifications/notice.ts';
import { expectDiscordLimits, expectReadable, expectSlackLimits, expectSoundEmail } from './limits.ts';
import { failure, incidents, summary } from './support.ts';

// Any UTF-16 units, but more often text with a meaning in a message format; sometimes very long.
const unit = fc.oneof(
  fc.constantFrom('<', '>', '&', '"', "'", '*', '_', '`', '~', '|', '\\', '@', '[x](', '\r\n', '\n1. ', '\u202E', '😀'),
  fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
);
const texts = fc
  .tuple(fc.array(unit, { maxLength: 12 }), fc.constantFrom(1, 1, 1, 40, 700))
  .map(([units, times]) => units.join('').repeat(times));
const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
const urls = fc.oneof(fc.webUrl({ withQueryParameters: true }), texts);

const consumers = fc.constantFrom('default', 'billing', 'c'.repeat(40));
const ofEvents: fc.Arbitrary<Partial<EventRow>> = fc.record({
  id: texts,
  provider: texts,
  account_slug: texts,
  event_type: fc.option(texts),
  consumer: consumers,
});
const payloads = fc.option(
  fc.record({
    body: fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      texts.map((text) => new TextEncoder().encode(text)),
      fc.json().map((json) => new TextEncoder().encode(json)),
    ),
    contentType: fc.option(texts),
  }),
);
const failures: fc.Arbitrary<FailureNotice> = fc
  .record({
    id: texts,
    sample: fc.boolean(),
    failedAt: dates,
    error: texts,
    attempts: fc.nat(),
    dashboardUrl: urls,
    payload: payloads,
    ofEvent: ofEvents,
  })
  .map(({ ofEvent, ...changes }) => failure(changes, ofEvent));
const summaries: fc.Arbitrary<SummaryNotice> = fc
  .record({
    id: texts,
    account: fc.record({ provider: texts, account_slug: texts, app_key: texts }),
    events: fc.nat(),
    since: dates,
    until: dates,
    first: fc.array(
      fc.record({ id: texts, event_type: fc.option(texts), consumer: consumers, error: texts, dashboardUrl: urls }),
    ),
    dashboardUrl: urls,
  })
  .map(summary);
const told: fc.Arbitrary<Partial<ToldIncident>> = fc.record({
  type: fc.constantFrom('incident.opened', 'incident.resolved'),
  reminder: fc.boolean(),
  kind: fc.constantFrom('delivery', 'rejections'),
  at: dates,
  account_id: fc.constantFrom('one', 'two'),
  provider: texts,
  account_slug: texts,
  consumer: fc.option(consumers),
  cause: texts,
  attempts: fc.nat(),
  first_seen_at: dates,
  last_seen_at: dates,
  dashboardUrl: urls,
});
const ofIncidents: fc.Arbitrary<IncidentNotice> = fc
  .record({ some: fc.array(told, { minLength: 1, maxLength: 15 }), dashboardUrl: urls })
  .map(({ some, dashboardUrl }) => ({ ...incidents(...some), dashboardUrl }));
const notices = fc.oneof(failures, summaries, ofIncidents);

const throughJson = (value: unknown) => JSON.parse(JSON.stringify(value));

test('a webhook message survives JSON', () => {
  fc.assert(
    fc.property(failures, (notice) => {
      const message = webhookMessage(notice);
      expect(JSON.stringify(message).isWellFormed()).toBe(true);
      expect(throughJson(message)).toEqual(message);
      expect('sample' in message.data).toBe(notice.sample);
    }),
  );
});

test('a webhook message about an incident survives JSON', () => {
  fc.assert(
    fc.property(told, (one) => {
      const message = webhookMessage(incidents(one));
      expect(throughJson(message)).toEqual(message);
      expect(message).toMatchObject({
        type: one.type,
        data: { reminder: one.reminder, incident: { cause: one.cause } },
      });
    }),
  );
});

test('a Slack message keeps the limits and is readable', () => {
  fc.assert(
    fc.property(notices, (notice) => {
      const message = chatOneMessage(notice);
      expectSlackLimits(message);
      expectReadable(message);
      expect(throughJson(message)).toEqual(message);
    }),
  );
});

test('a Discord message keeps the limits and is readable', () => {
  fc.assert(
    fc.property(notices, (notice) => {
      const message = chatTwoMessage(notice);
      expectDiscordLimits(message);
      expectReadable(message);
      expect(throughJson(message)).toEqual(message);
    }),
  );
});

test('an e-mail is valid and readable, and its attachment is the payload', () => {
  fc.assert(
    fc.property(notices, fc.boolean(), (notice, includePayload) => {
      const message = emailMessage(notice, { includePayload });
      expectSoundEmail(message);
      expectReadable(message);
      const asked = notice.kind === 'delivery_failed' && includePayload ? notice.payload : null;
      expect(message.attachment?.content ?? null).toBe(asked && asked.body.length > 0 ? asked.body : null);
    }),
  );
});

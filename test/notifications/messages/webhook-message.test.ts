import { expect, test } from 'vitest';
import { eventItem } from '../../../src/events/event-view.ts';
import { webhookMessage } from '../../../src/notifications/messages/webhook-message.ts';
import { failure } from './support.ts';

test('the message has the fields of the event lists, with the stored values', () => {
  const notice = failure({ error: 'HTTP 503\n<b>\u0000', attempts: 11 }, { event_type: null });
  expect(webhookMessage(notice)).toEqual({
    type: 'delivery.failed',
    id: notice.id,
    timestamp: '2026-11-21T15:33:16.120Z',
    data: {
      event: eventItem(notice.event),
      error: 'HTTP 503\n<b>\u0000',
      attempts: 11,
      dashboard_url: notice.dashboardUrl,
    },
  });
});

test('only a test of the destination has the field `sample`', () => {
  expect(webhookMessage(failure({ sample: true })).data.sample).toBe(true);
  expect(JSON.parse(JSON.stringify(webhookMessage(failure()))).data).not.toHaveProperty('sample');
});

test('the message has no payload', () => {
  const payload = { body: new TextEncoder().encode('top secret'), contentType: 'text/plain' };
  expect(JSON.stringify(webhookMessage(failure({ payload })))).not.toContain('secret');
});

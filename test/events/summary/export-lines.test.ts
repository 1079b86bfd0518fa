import { expect, test } from 'vitest';
import type { EventRow } from '../../../src/events/event.ts';
import { lineOf } from '../../../src/events/summary/export-lines.ts';

const row = (external_id: string) =>
  ({
    ...{ id: '01a1fb5c-32dd-7658-a59f-f1f2e11f4782', external_id, provider: 'generic', account_slug: 'shop' },
    ...{ status: 'enqueued', delivery_status: 'pending', attempts: 1, scheduled_attempts: 1, schedule_of: 10 },
    ...{ event_type: null, received_at: new Date(0), delivered_at: null, next_attempt_at: null, backfilled_at: null },
    ...{ last_error: null, response_code: null, waits_for: null, failed_by_person: null, skipped_reason: null },
    ...{ rejection_reason: null },
  }) as EventRow;

const csvOf = (text: string) => lineOf('csv', row(text), undefined).split(',').slice(7, -9).join(',');

test.each([
  ['order-4711', 'order-4711'],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a\r\nb', '"a\r\nb"'],
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://a","b")', `"'=HYPERLINK(""http://a"",""b"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  [' =1', "' =1"],
  ["'quoted", "'quoted"],
  ['ünï', 'ünï'],
])('a field of CSV with %j is %j', (text, field) => {
  expect(csvOf(text)).toBe(field);
});

test('a number is not taken for a formula', () => {
  const line = lineOf('csv', { ...row('x'), attempts: -1 }, undefined);
  expect(line).toContain(',-1,');
});

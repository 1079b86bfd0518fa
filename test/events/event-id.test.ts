import { validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { uuidMs } from '../../src/database/uuid-time.ts';
import { newEventId } from '../../src/events/event-id.ts';

test('ids of one millisecond are different UUIDv7s that hold the time', () => {
  const receivedAt = new Date('2026-11-20T12:00:00.123Z');
  const ids = Array.from({ length: 1_000 }, () => newEventId(receivedAt));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) expect([validate(id), version(id), uuidMs(id)]).toEqual([true, 7, receivedAt.getTime()]);
  // The random parts on both sides of the variant differ.
  expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(1_000);
  expect(new Set(ids.map((id) => id.slice(15, 18))).size).toBeGreaterThan(500);
});

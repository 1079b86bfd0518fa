import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Burst, shareOut } from '../../src/notifications/bursts.ts';

const windowMs = 600_000;
const at = (ms: number) => new Date(ms);

test('up to the limit each event has its own message; the others open a summary', () => {
  const share = shareOut({ toldAt: [], waiting: 0 }, false, 5, at(0), { limit: 3, windowMs });
  expect(share).toEqual({ single: 3, toldAt: [at(0), at(0), at(0), at(windowMs)], opens: true });
});

test('messages from before the window do not count', () => {
  const burst = { toldAt: [at(0), at(1)], waiting: 0 };
  expect(shareOut(burst, false, 2, at(windowMs), { limit: 2, windowMs })).toMatchObject({ single: 1, opens: true });
  expect(shareOut(burst, false, 2, at(windowMs + 1), { limit: 2, windowMs })).toMatchObject({
    single: 2,
    opens: false,
  });
});

test('messages that still wait from an earlier window count against the limit', () => {
  const burst = { toldAt: [], waiting: 2 };
  expect(shareOut(burst, false, 4, at(0), { limit: 3, windowMs })).toMatchObject({ single: 1, opens: true });
  expect(shareOut({ ...burst, waiting: 9 }, false, 4, at(0), { limit: 3, windowMs })).toMatchObject({ single: 0 });
});

test('while a summary is open all events go into it, even below the limit', () => {
  const share = shareOut({ toldAt: [], waiting: 0 }, true, 2, at(0), { limit: 100, windowMs });
  expect(share).toEqual({ single: 0, toldAt: [], opens: false });
});

test('no period as long as the window has more messages than the limit, and each event is in exactly one', () => {
  const arrivals = fc.array(
    fc.record({ gapMs: fc.integer({ min: 0, max: windowMs }), events: fc.integer({ min: 1, max: 9 }) }),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (given, limit) => {
      let burst: Burst = { toldAt: [], waiting: 0 };
      let nowMs = 0;
      let closesMs = -1;
      let [told, folded] = [0, 0];
      const messagesMs: number[] = [];
      for (const { gapMs, events } of given) {
        nowMs += gapMs;
        const open = closesMs > nowMs;
        const share = shareOut(burst, open, events, at(nowMs), { limit, windowMs });
        messagesMs.push(...Array.from({ length: share.single }, () => nowMs));
        told += share.single;
        folded += events - share.single;
        if (share.opens) {
          closesMs = nowMs + windowMs;
          messagesMs.push(closesMs);
        }
        burst = { toldAt: share.toldAt, waiting: 0 };
      }
      expect(told + folded).toBe(given.reduce((sum, { events }) => sum + events, 0));
      for (const start of messagesMs)
        expect(messagesMs.filter((ms) => ms >= start && ms < start + windowMs).length).toBeLessThanOrEqual(limit);
    }),
  );
});

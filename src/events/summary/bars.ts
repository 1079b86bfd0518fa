const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const weekMs = 7 * dayMs;

/** Widths of a bar: each is a multiple of those before it, so that bars can be made of narrower ones. */
const steps = [5_000, 15_000, minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 3 * hourMs, 12 * hourMs, dayMs] as const;
/** More bars are too narrow to press. */
const mostBars = 60;
/** With fewer, the events of a minute would be one bar as wide as the page. */
const fewestBars = 30;

/** The events that were received in a step of time. */
export interface Bar {
  atMs: number;
  events: number;
  /** Those that are rejected or undelivered, or whose last attempt has failed. */
  failed: number;
}

type Span = { since?: Date | undefined; until?: Date | undefined };

/** The width of bars in which events are counted at first: narrow only for a short span, so that a day has few of them. */
export function finestStepMs({ since, until }: Span, nowMs: number): number {
  const spanMs = since ? (until?.getTime() ?? nowMs) - since.getTime() : Number.POSITIVE_INFINITY;
  return spanMs <= hourMs ? steps[0] : minuteMs;
}

/**
 * Makes at most about 60 bars of narrow ones, from the oldest event or `since` to `until` or now. Times without events have bars,
 * too.
 *
 * @param span.finestMs the width of the given bars
 */
export function barsOf(counted: readonly Bar[], span: Span & { nowMs: number; finestMs: number }) {
  const { since, until, nowMs, finestMs } = span;
  const latestMs = since ? nowMs : nowMs - fewestBars * finestMs;
  const oldestMs = counted.reduce((low, { atMs }) => Math.min(low, atMs), latestMs);
  const newestMs = counted.reduce((high, { atMs }) => Math.max(high, atMs + finestMs), 0);
  const toMs = Math.max(newestMs, Math.min(until?.getTime() ?? nowMs, nowMs));
  // `since` is exclusive. A span that begins long before the first event would have empty bars only.
  const fromMs = Math.min(
    oldestMs,
    Math.max(since ? since.getTime() + 1 : oldestMs, toMs - Math.max(dayMs, 2 * (toMs - oldestMs))),
  );
  const stepMs = stepOf(toMs - fromMs, finestMs);
  const firstMs = Math.floor(fromMs / stepMs) * stepMs;
  const bars: Bar[] = [];
  for (let atMs = firstMs; atMs < toMs; atMs += stepMs) bars.push({ atMs, events: 0, failed: 0 });
  for (const { atMs, events, failed } of counted) {
    const bar = bars[Math.floor((atMs - firstMs) / stepMs)];
    if (!bar) continue;
    bar.events += events;
    bar.failed += failed;
  }
  return { from: new Date(firstMs), to: new Date(firstMs + bars.length * stepMs), stepMs, bars };
}

function stepOf(spanMs: number, finestMs: number): number {
  const step = steps.find((ms) => ms >= finestMs && spanMs <= ms * mostBars);
  return step ?? Math.max(1, Math.ceil(spanMs / mostBars / weekMs)) * weekMs;
}

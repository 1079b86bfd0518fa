const whole: Intl.DateTimeFormatOptions = {
  ...{ year: 'numeric', month: 'short', day: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
};
const local = new Intl.DateTimeFormat(undefined, whole);
const zoned = new Intl.DateTimeFormat(undefined, { ...whole, timeZoneName: 'short' });

/** A time in the reader's zone and language. */
export const localTime = (iso: string) => local.format(new Date(iso));

/** The same with the name of the zone, and in UTC: `20 Nov 2026, 11:00:00 CET · 2026-11-20 10:00:00.123 UTC`. */
export const wholeTime = (iso: string) => `${zoned.format(new Date(iso))} · ${utcTime(iso)}`;

const time = { hour: '2-digit', minute: '2-digit' } as const;
const day = { day: 'numeric', month: 'short' } as const;
const toMinute = {
  ofToday: new Intl.DateTimeFormat(undefined, time),
  ofDay: new Intl.DateTimeFormat(undefined, { ...day, ...time }),
};
const toSecond = {
  ofToday: new Intl.DateTimeFormat(undefined, { ...time, second: '2-digit' }),
  ofDay: new Intl.DateTimeFormat(undefined, { ...day, ...time, second: '2-digit' }),
};

/** `22:23`, or `22:23:05` with seconds, with the day if that is not today, in the reader's zone. */
export function clockText(iso: string, nowMs: number, { seconds = false } = {}): string {
  const at = new Date(iso);
  const { ofToday, ofDay } = seconds ? toSecond : toMinute;
  return (at.toDateString() === new Date(nowMs).toDateString() ? ofToday : ofDay).format(at);
}

/** `2026-11-20 10:00:00.123 UTC` */
export const utcTime = (iso: string) => new Date(iso).toISOString().replace('T', ' ').replace('Z', ' UTC');

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** `12 min ago`, or `in 3 s` for a time to come, which is rounded: a token that was just created for 90 days ends in 90 d. */
export function agoText(fromNowMs: number): string {
  const ms = Math.abs(fromNowMs);
  if (ms < 1_000) return 'now';
  const [unit, size] = units.find(([, unitMs]) => ms >= unitMs) ?? ['s', 1_000];
  return fromNowMs < 0 ? `${Math.floor(ms / size)} ${unit} ago` : `in ${Math.round(ms / size)} ${unit}`;
}

/** A span of time: `320 µs`, `41.5 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(ms: number): string {
  if (ms === 0) return '0 ms';
  if (ms < 1) return `${Math.round(ms * 1_000)} µs`;
  if (ms < 1_000) return `${Number(ms.toPrecision(3))} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toPrecision(3))} s`;
  const [seconds, minutes] = [Math.round(ms / 1_000), Math.round(ms / 60_000)];
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
  if (minutes < 2_880) return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
  return `${Math.round(minutes / 1_440)} d`;
}

import ms from 'ms';

/** How long ago a time is, such as `3m`; `-` for null. For tables, in which a time would be too wide. */
export function age(time: string | null, nowMs = Date.now()): string {
  if (time === null) return '-';
  const agoMs = Math.max(0, nowMs - Date.parse(time));
  return agoMs < 1000 ? '0s' : ms(agoMs);
}

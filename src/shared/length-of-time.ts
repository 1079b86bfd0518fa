const units = [
  { name: 'days', s: 86_400, fromS: 2 * 86_400 },
  { name: 'h', s: 3_600, fromS: 2 * 3_600 },
  { name: 'min', s: 60, fromS: 10 * 60 },
];

/** A length of time for people, rounded: `301 s`, `5 min`, `66 min`, `30 h`, `4 days`. */
export function lengthOfTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  // Up to ten minutes in seconds, so that 301 s do not read as the limit of 5 min that they exceed.
  const unit = units.find(({ s, fromS }) => seconds >= fromS || (s === 60 && seconds >= s && seconds % s === 0));
  return unit ? `${Math.round(seconds / unit.s)} ${unit.name}` : `${seconds} s`;
}

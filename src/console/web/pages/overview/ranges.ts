/** The spans of time that the overview offers, with the step of their points and how often they are read again. */
export const ranges = {
  '1h': { label: '1 h', name: 'the last hour', ms: 3_600_000, step: '1m', everyMs: 5_000 },
  '24h': { label: '24 h', name: 'the last 24 hours', ms: 86_400_000, step: '15m', everyMs: 15_000 },
  '7d': { label: '7 d', name: 'the last 7 days', ms: 7 * 86_400_000, step: '1h', everyMs: 60_000 },
  '30d': { label: '30 d', name: 'the last 30 days', ms: 30 * 86_400_000, step: '6h', everyMs: 60_000 },
} as const;

export type RangeName = keyof typeof ranges;

/** The ranges to choose from. */
export const rangeLabels = (Object.keys(ranges) as RangeName[]).map((name) => [name, ranges[name].label] as const);

/** The range that an address names; an hour if it names none. */
export const rangeNamed = (name: string | undefined): RangeName =>
  name !== undefined && Object.hasOwn(ranges, name) ? (name as RangeName) : '1h';

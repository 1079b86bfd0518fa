import { isDeepStrictEqual } from 'node:util';
import { comparedUrl } from '../../accounts/compared-secrets.ts';
import { partUrl } from '../../accounts/url-credentials.ts';
import { MASKED } from '../../secrets/masked.ts';
import { durationBetween } from '../../shared/setting-types.ts';

const durationMs = durationBetween('1ms', '168h');
/** `60s` and `1m` are the same; what is not a duration stays. */
const asMs = (value: unknown) => durationMs.safeParse(value).data ?? value;

/** Whether the gateway shows a field as it is in the file, although it may be written in another way. */
export function isSame(path: string, wanted: unknown, shown: unknown): boolean {
  return isDeepStrictEqual(normal(path, wanted), normal(path, shown));
}

function normal(path: string, value: unknown): unknown {
  if (path === 'timeout') return asMs(value);
  if (path === 'schedule' && Array.isArray(value)) return value.map(asMs);
  if (path === 'kinds' && Array.isArray(value)) return value.toSorted();
  return value;
}

/** How a URL of the file differs from the one that is shown. `secret`: only its user and password may differ. */
export function urlDifference(wanted: string, shown: unknown): 'same' | 'differs' | 'secret' {
  const { url, credentials } = partUrl(wanted);
  if (credentials === null) return wanted === shown ? 'same' : 'differs';
  return typeof shown === 'string' && comparedUrl(shown) === masked(url) ? 'secret' : 'differs';
}

/** The URL as responses show one with user and password. */
function masked(url: string): string {
  const shown = new URL(url);
  shown.username = MASKED;
  return shown.href;
}

/** A URL for people: without user and password. */
export const shownUrl = (url: string): string => {
  const { url: bare, credentials } = partUrl(url);
  return credentials === null ? bare : bare.replace('://', `://${MASKED}@`);
};

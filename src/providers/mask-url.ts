import { MASKED } from '../secrets/masked.ts';
import { percentDecoded } from '../shared/text.ts';

/** A parameter `key`, at the beginning of a part or inside a URL that is itself a parameter value. */
const keyParameter = /(^|[?&#;])\s*key\s*=/i;

/** Covers a URL that two proxies have each encoded again. No sender encodes more often. */
const decodings = 3;

/**
 * Masks the value of each `key` parameter in `url`, including repeated ones and ones with an encoded name. All other
 * bytes stay unchanged. Text that is not a URL is masked completely.
 */
export function maskKeyParameters(url: string): string {
  // URL parsers drop control characters, so a tab inside the name would hide it from the search below.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
  if (/[\x00-\x1f]/.test(url) || !URL.canParse(url, 'http://gateway.invalid')) return MASKED;
  const queryAt = url.indexOf('?') + 1;
  const parts = url.slice(queryAt).split('&').map(maskPart).join('&');
  return queryAt === 0 ? parts : `${maskPart(url.slice(0, queryAt - 1))}?${parts}`;
}

/** Masks the value up to the next `&`: a `?`, `#` or `;` may be part of the secret. */
function maskPart(part: string): string {
  if (!holdsKey(part)) return part;
  const equals = part.indexOf('=');
  return equals < 0 ? MASKED : part.slice(0, equals + 1) + MASKED;
}

function holdsKey(part: string): boolean {
  let text = part;
  for (let round = 0; round < decodings; round++) {
    if (keyParameter.test(text)) return true;
    const decoded = percentDecoded(text);
    if (decoded === text) return false;
    text = decoded;
  }
  return keyParameter.test(text);
}

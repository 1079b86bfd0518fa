import { MASKED } from '../secrets/masked.ts';
import { percentDecoded } from '../shared/text.ts';

/** A parameter `key`, at the beginning of a part or inside an address that is itself a parameter. */
const keyParameter = /(^|[?&#;])\s*key\s*=/i;

/** Encoded once more by each of two proxies is seen; more often is no address that anyone sends. */
const decodings = 3;

/**
 * `url` with the value of each `key` parameter masked, however often it is there and however its name is encoded;
 * everything else keeps its bytes. What is no URL is masked altogether.
 */
export function maskKeyParameters(url: string): string {
  // URL parsers drop control characters, so that a name can be hidden from the search below by a tab.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
  if (/[\x00-\x1f]/.test(url) || !URL.canParse(url, 'http://gateway.invalid')) return MASKED;
  const queryAt = url.indexOf('?') + 1;
  const parts = url.slice(queryAt).split('&').map(maskPart).join('&');
  return queryAt === 0 ? parts : `${maskPart(url.slice(0, queryAt - 1))}?${parts}`;
}

/** A value ends at the next `&` only: a `?`, `#` or `;` may belong to it, so what follows those goes too. */
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

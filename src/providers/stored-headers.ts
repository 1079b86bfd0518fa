import { MASKED } from '../secrets/masked.ts';
import { percentDecoded } from '../shared/text.ts';
import type { Header, InboundRequest } from './inbound-request.ts';
import { maskKeyParameters } from './mask-url.ts';
import type { Provider, VerificationSettings } from './provider.ts';
import { usableSecrets } from './verification.ts';

/** Secret whoever sends them; in lower case. */
export const alwaysSecret: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  // Operators who post a webhook by hand send it by mistake.
  'x-admin-token',
  'cookie',
  'set-cookie',
]);

/** Proxies copy the address, and so its `key=`, into these. */
const urlHeaders = new Set(['x-original-url', 'x-original-uri', 'x-forwarded-uri', 'x-rewrite-url', 'referer']);

/** A shorter secret is masked only as a whole value: as a part of one it would be found everywhere by chance. */
const minPartLength = 8;

/**
 * The headers of `request` as they may be stored, shown and forwarded (docs/providers.md): order and case as sent,
 * with `[masked]` for the values of those that the provider compares, credentials and cookies, `key=` parameters of
 * copied addresses, and whatever else holds one of the account's secrets, plain or percent-encoded.
 */
export function storedHeaders(
  provider: Provider,
  request: InboundRequest,
  secrets: Pick<VerificationSettings, 'current' | 'previous'>,
): Header[] {
  const known = usableSecrets(secrets).flatMap(shownForms);
  const stored = request.headers;
  for (const header of stored) {
    const [name, value] = header;
    const lowerCase = name.toLowerCase();
    if (alwaysSecret.has(lowerCase) || provider.secretHeaders.includes(lowerCase)) header[1] = MASKED;
    else if (urlHeaders.has(lowerCase)) header[1] = maskKeyParameters(value);
    if (reveals(header[1], known)) header[1] = MASKED;
    // The value of such a header is masked too, so that it is not forwarded under a name that is none.
    if (reveals(name, known)) header.fill(MASKED);
  }
  return stored;
}

function reveals(text: string, forms: readonly string[]): boolean {
  if (forms.length === 0 || text === MASKED) return false;
  const readings = readingsOf(text);
  return forms.some((form) =>
    readings.some((reading) => (form.length < minPartLength ? reading === form : reading.includes(form))),
  );
}

/**
 * How a header value shows a secret: as it is, as its UTF-8 bytes, of which Node makes one character each, and as a part of
 * a URL. The last one is found by decoding, too, but not behind a `%0` that makes another character of its first one.
 */
function shownForms(secret: string): string[] {
  const forms = [secret, Buffer.from(secret, 'utf8').toString('latin1')];
  if (secret.length >= minPartLength) forms.push(encodeURIComponent(secret.toWellFormed()));
  return [...new Set(forms)];
}

/** What a value says when it is taken literally and as (part of) a URL or a form. */
function readingsOf(text: string): string[] {
  const readings = [text];
  if (text.includes('%')) readings.push(percentDecoded(text));
  if (text.includes('+')) readings.push(percentDecoded(text.replaceAll('+', ' ')));
  return readings;
}

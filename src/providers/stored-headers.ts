import { MASKED } from '../secrets/masked.ts';
import { oncePer } from '../shared/once-per.ts';
import { percentDecoded } from '../shared/text.ts';
import type { Header, InboundRequest } from './inbound-request.ts';
import { maskKeyParameters } from './mask-url.ts';
import type { Provider, VerificationSettings } from './provider.ts';
import { usableSecrets } from './verification.ts';

/** Headers that are secret for every provider, in lower case. */
export const alwaysSecret: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  // Operators who send a webhook by hand may include it by mistake.
  'x-admin-token',
  'cookie',
  'set-cookie',
]);

/** Proxies copy the request's URL into these headers, and with it the secret in `key=`. */
const urlHeaders = new Set(['x-original-url', 'x-original-uri', 'x-forwarded-uri', 'x-rewrite-url', 'referer']);

/** Characters. A shorter secret is masked only as a whole value: as part of a value it would match by chance. */
const minPartLength = 8;

/**
 * The headers of `request` as they may be stored, shown and forwarded (docs/providers.md), in the order and case as
 * sent. These values are replaced by `[masked]`:
 *
 * - headers that the provider compares with the secret, credentials and cookies;
 * - `key=` parameters in copied URLs;
 * - any other value that contains one of the account's secrets, plain or percent-encoded.
 */
export function storedHeaders(
  provider: Provider,
  request: InboundRequest,
  secrets: Pick<VerificationSettings, 'current' | 'previous'>,
): Header[] {
  const known = formsOf(secrets);
  const stored = request.headers;
  for (const header of stored) {
    const [name, value] = header;
    const lowerCase = name.toLowerCase();
    if (alwaysSecret.has(lowerCase) || provider.secretHeaders.includes(lowerCase)) header[1] = MASKED;
    else if (urlHeaders.has(lowerCase)) header[1] = maskKeyParameters(value);
    if (reveals(header[1], known)) header[1] = MASKED;
    // The value is masked too: a header with a masked value is not forwarded, and `[masked]` is not a valid name.
    if (reveals(name, known)) header.fill(MASKED);
  }
  return stored;
}

/** The forms in which these secrets may be shown. The secrets of an account are one object while it is cached. */
const formsOf = oncePer((secrets: Pick<VerificationSettings, 'current' | 'previous'>) =>
  usableSecrets(secrets).flatMap(shownForms),
);

function reveals(text: string, forms: readonly string[]): boolean {
  if (forms.length === 0 || text === MASKED) return false;
  const readings = readingsOf(text);
  return forms.some((form) =>
    readings.some((reading) => (form.length < minPartLength ? reading === form : reading.includes(form))),
  );
}

/**
 * The forms in which a header value may contain a secret: unchanged, as its UTF-8 bytes (Node makes each byte one
 * character), and percent-encoded. Decoding the value also finds the encoded form, unless a `%0` before it makes its
 * first character part of another escape.
 */
function shownForms(secret: string): string[] {
  const forms = [secret, Buffer.from(secret, 'utf8').toString('latin1')];
  if (secret.length >= minPartLength) forms.push(encodeURIComponent(secret.toWellFormed()));
  return [...new Set(forms)];
}

/** The possible meanings of a value: literal, percent-decoded as part of a URL, and decoded as part of a form. */
function readingsOf(text: string): string[] {
  const readings = [text];
  if (text.includes('%')) readings.push(percentDecoded(text));
  if (text.includes('+')) readings.push(percentDecoded(text.replaceAll('+', ' ')));
  return readings;
}

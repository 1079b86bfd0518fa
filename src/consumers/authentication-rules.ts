import { z } from 'zod';
import { comparableName, isReservedHeader } from '../shared/reserved-headers.ts';
import { filled, httpUrl, secret } from '../shared/text-rules.ts';
import { certificatesIn, isKeyOf, PemError, privateKeyIn } from '../shared/tls/pem.ts';

/** A header's name: RFC 9110, section 5.6.2. */
export const headerName = filled(100).regex(
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
  'must be a name of a header: letters, digits and hyphens',
);

const visible = secret.regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters');
/** RFC 6749, appendix A: what a client's id and secret consist of. */
const printable = (max: number) => filled(max).regex(/^[\x20-\x7e]*$/, 'must be printable ASCII characters');

/** A chain of certificates, or some authorities. */
const maxPemCharacters = 20_000;

/** A PEM text in which `check` finds no mistake. */
const pem = (check: (text: string) => void) =>
  filled(maxPemCharacters).superRefine((given, context) => {
    const message = mistakeOf(() => check(given));
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

function mistakeOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof PemError) return error.message;
    throw error;
  }
}

/** Certificates are shown, so a private key among them is refused. */
function onlyCertificates(given: string) {
  const certificates = certificatesIn(given);
  if (/-----BEGIN (?!CERTIFICATE-----)/.test(given))
    throw new PemError('must hold certificates only: a private key has a field of its own');
  return certificates;
}

/** Authorities in PEM. */
export const authorities = pem((given) => void onlyCertificates(given));

const clientCertificate = pem((given) => {
  const [first] = onlyCertificates(given);
  if (first && first.validToDate.getTime() <= Date.now())
    throw new PemError(`has expired on ${first.validToDate.toISOString()}`);
});

const mtls = z
  .strictObject({
    type: z.literal('mtls'),
    certificate: clientCertificate,
    key: pem((given) => void privateKeyIn(given)),
  })
  .superRefine(({ certificate, key }, context) => {
    const fits = mistakeOf(() => {
      if (!isKeyOf(privateKeyIn(key), certificatesIn(certificate)))
        throw new PemError('does not belong to the certificate');
    });
    if (fits !== null) context.addIssue({ code: 'custom', path: ['key'], message: fits });
  });

const oauth2 = z.strictObject({
  type: z.literal('oauth2'),
  token_url: httpUrl.refine((given) => {
    const url = URL.parse(given);
    return url === null || (url.username === '' && url.password === '' && url.hash === '');
  }, 'must hold no user, password or fragment'),
  client_id: printable(255),
  client_secret: printable(1000),
  scope: printable(1000).optional(),
  audience: printable(500).optional(),
  client_auth: z.enum(['basic', 'body']).default('basic'),
});

/** How deliveries to a consumer authenticate. */
export const authentication = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('basic'),
      username: filled(255).regex(/^[^:]*$/, 'must not contain a colon'),
      password: secret,
    }),
    z.strictObject({ type: z.literal('bearer'), token: visible }),
    z.strictObject({
      type: z.literal('header'),
      name: headerName.refine(
        (name) => comparableName(name) === 'authorization' || !isReservedHeader(comparableName(name)),
        'is set by the gateway, or belongs to one connection',
      ),
      value: visible,
    }),
    oauth2,
    mtls,
  ])
  .meta({
    description:
      'With which its deliveries authenticate: a user and password, a bearer token, a header with a secret, an access token of OAuth 2 (client credentials), or a client certificate (mTLS). The secrets are write-only. `null`: user and password of the URL, if it has some',
  });

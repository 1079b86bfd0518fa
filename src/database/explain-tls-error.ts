import { isTlsError, serverWithoutTls } from './errors.ts';

/**
 * Explains a TLS error between the gateway and PostgreSQL, and what to do: a text that follows the name of the server.
 * Null for other errors.
 */
export function explainTlsError(url: string, error: Error): string | null {
  const { hostname, searchParams } = new URL(url);
  const mode = searchParams.get('sslmode') ?? 'prefer';
  const code = 'code' in error ? String(error.code) : '';
  const said = `(${error.message || code})`;
  // FATAL messages from the server.
  if (code === '28000' && /client certificate/.test(error.message))
    return `asks for a client certificate ${said}. Set sslcert and sslkey in DATABASE_URL to the files of one that it trusts.`;
  if (code === '28000' && /no encryption/.test(error.message))
    return `takes no connection without TLS ${said}. Set sslmode in DATABASE_URL to verify-full, or to require.`;
  if (!isTlsError(error)) return null;
  if (serverWithoutTls.test(error.message))
    return `has no TLS, but DATABASE_URL says sslmode=${mode}. Turn TLS on there (ssl = on), or set sslmode=disable for a network that you trust. No password was sent.`;
  if (code === 'CERT_HAS_EXPIRED') return `shows a certificate that has expired ${said}. Renew it there.`;
  if (code === 'CERT_NOT_YET_VALID')
    return `shows a certificate that is not valid yet ${said}. Correct the clock of this machine, or the certificate.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `shows a certificate that is not for ${hostname} ${said}. Use a name in DATABASE_URL that the certificate has, or set sslmode=verify-ca to trust every certificate of this authority.`;
  if (/ALERT/.test(code) && /CERT|UNKNOWN_CA|HANDSHAKE|DECRYPT/.test(code))
    return `does not take the client certificate of sslcert ${said}. Set sslcert and sslkey in DATABASE_URL to one that it trusts.`;
  if (/^ERR_SSL_|establishing/.test(`${code}${error.message}`))
    return `does not agree with the gateway on TLS ${said}. Look into the log of the server.`;
  return `shows a certificate that no trusted authority signed ${said}. Set sslrootcert in DATABASE_URL to the file of the authority that did.`;
}

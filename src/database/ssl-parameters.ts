/** The values of `sslmode` that the gateway supports, weakest first. */
const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof modes)[number];

/** The TLS parameters of a database URL. Files are given as paths. */
export interface SslParameters {
  mode: SslMode;
  /** A path, or `system` for the certificate authorities of the machine; null if not given. */
  rootCertificate: string | null;
  clientCertificate: { cert: string; key: string } | null;
}

/** A database URL that cannot be used. `message` continues a sentence that begins with the name of the setting. */
export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError';
}

const followed = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;
const supported = `supported are ${followed.join(', ')}, with sslmode one of ${modes.join(', ')}`;

/**
 * libpq parameters that the gateway does not support and that affect the server's identity or the protection of the
 * connection. The listed values match what the gateway does anyway. Other values are refused, because ignoring them
 * would make the connection less secure than the URL asks for.
 */
const notFollowed: Record<string, readonly string[]> = {
  channel_binding: ['disable', 'prefer'],
  gssencmode: ['disable', 'prefer'],
  sslnegotiation: ['postgres'],
  // node-postgres needs this parameter to interpret `sslmode` as libpq does.
  uselibpqcompat: ['true'],
  ...Object.fromEntries(
    [
      ...['hostaddr', 'require_auth', 'requirepeer', 'requiressl', 'passfile', 'service', 'servicefile'],
      ...['gssdelegation', 'gsslib', 'krbsrvname'],
    ].map((name) => [name, []]),
  ),
};

/** Whether a parameter of a URL is about TLS or in `notFollowed`. */
export const isSslParameter = (name: string): boolean => /^ssl/i.test(name) || name in notFollowed;

/**
 * Reads the TLS parameters of a database URL as libpq does
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS). If a name is repeated, the last one
 * counts.
 *
 * @throws DatabaseUrlError about a parameter or value that is not supported.
 */
export function readSslParameters(parameters: URLSearchParams): SslParameters {
  const given = new Map(parameters);
  for (const [name, value] of given) refuseUnlessFollowed(name, value);
  const [mode, root, cert, key] = followed.map((name) => given.get(name) ?? null);
  const rootCertificate = root ?? null;
  const sslMode = mode ?? (rootCertificate === 'system' ? 'verify-full' : 'prefer');
  if (!isMode(sslMode)) throw new DatabaseUrlError(`has an unknown sslmode '${sslMode.slice(0, 40)}'; ${supported}`);
  if (rootCertificate === 'system' && sslMode !== 'verify-full')
    throw new DatabaseUrlError(
      `has sslrootcert=system, which needs sslmode=verify-full: with sslmode=${sslMode}, any certificate that a public authority signed would do`,
    );
  if (rootCertificate !== null && (sslMode === 'disable' || sslMode === 'prefer'))
    throw new DatabaseUrlError(
      `has sslrootcert, which sslmode=${sslMode}${mode === null ? ' (the default)' : ''} would not check; add sslmode=verify-full, verify-ca or require`,
    );
  if (!cert && !key) return { mode: sslMode, rootCertificate, clientCertificate: null };
  if (!cert || !key) throw new DatabaseUrlError(cert ? 'has sslcert without sslkey' : 'has sslkey without sslcert');
  if (sslMode === 'disable')
    throw new DatabaseUrlError('has sslcert, but sslmode=disable never shows it; remove one of them');
  return { mode: sslMode, rootCertificate, clientCertificate: { cert, key } };
}

const isMode = (text: string): text is SslMode => modes.some((mode) => mode === text);

function refuseUnlessFollowed(name: string, value: string): void {
  if (followed.some((known) => known === name)) {
    if (value === '') throw new DatabaseUrlError(`has an empty ${name}; ${supported}`);
    return;
  }
  if (notFollowed[name]?.includes(value)) return;
  if (isSslParameter(name))
    throw new DatabaseUrlError(`has the parameter ${name.slice(0, 40)}, which is not supported; ${supported}`);
}

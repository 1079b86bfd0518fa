import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, createSecureContext } from 'node:tls';
import type pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { StartError } from '../shared/start-error.ts';
import { systemAuthorities } from '../shared/tls/authorities.ts';
import { certificatesIn, isKeyOf, PemError, privateKeyIn, readPem } from '../shared/tls/pem.ts';
import { OptionalTls } from './optional-tls.ts';
import { DatabaseUrlError, isSslParameter, readSslParameters, type SslParameters } from './ssl-parameters.ts';

/**
 * Converts a database URL into options of the driver. Every connection to PostgreSQL uses it. TLS is configured by
 * libpq's parameters in the URL: `sslmode` (default `prefer`), `sslrootcert`, `sslcert` and `sslkey`, whose files are
 * read here. The environment (`PGSSLMODE` and others) is ignored.
 *
 * @param ours options of this connection. An `application_name` of the URL replaces ours; `options` of both apply, ours
 *   last.
 * @throws StartError about a URL that cannot be used. Its message contains no password.
 */
export function connectionOptions(url: string, ours: pg.ClientConfig = {}): pg.ClientConfig {
  try {
    const { server, ssl } = read(url);
    const options = [server.options, ours.options].filter((text) => text !== undefined).join(' ');
    return {
      ...ours,
      ...server,
      ...(options === '' ? {} : { options }),
      ...securityOf(ssl, server.host ?? ''),
      // Set explicitly, because the driver otherwise reads it from the environment.
      sslnegotiation: 'postgres',
    };
  } catch (error) {
    if (error instanceof DatabaseUrlError) throw new StartError(`The database URL ${error.message}.`);
    throw error;
  }
}

/** What is wrong with a database URL or its files, as text after the name of the setting; null if it can be used. */
export function databaseUrlMistake(url: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) return 'must be a postgresql:// URL';
  try {
    const { server, ssl } = read(url);
    securityOf(ssl, server.host ?? '');
    return null;
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message;
    throw error;
  }
}

/** The server of a database URL (`host:port` or the path of a socket) and the name of the database, for messages. */
export function placeOf(url: string): { server: string; database: string } {
  const { host, port = 5432, database = '' } = read(url).server;
  if (host && isSocket(host)) return { server: host, database };
  return { server: `${host || 'localhost'}:${port}`, database };
}

/** Adds `sslmode` to a URL that has none, as libpq does with `PGSSLMODE`. */
export function withDefaultSslMode(url: string, mode: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.searchParams.has('sslmode')) return url;
  parsed.searchParams.set('sslmode', mode);
  return parsed.href;
}

function read(url: string): { server: pg.ClientConfig; ssl: SslParameters } {
  const parsed = new URL(url);
  const ssl = readSslParameters(parsed.searchParams);
  // Removed, because the driver interprets them differently and prints a warning.
  for (const name of [...parsed.searchParams.keys()]) if (isSslParameter(name)) parsed.searchParams.delete(name);
  try {
    return { server: parseIntoClientConfig(parsed.href), ssl };
  } catch {
    throw new DatabaseUrlError('cannot be read; percent-encode special characters in its parts');
  }
}

const isSocket = (host: string) => host.startsWith('/');

function securityOf(ssl: SslParameters, host: string): Pick<pg.ClientConfig, 'ssl' | 'stream'> {
  // As in libpq: a Unix socket never uses TLS, in any mode.
  if (ssl.mode === 'disable' || isSocket(host)) return { ssl: false };
  if (ssl.mode === 'verify-full' && host === '')
    throw new DatabaseUrlError('has sslmode=verify-full, but no host that the certificate could be compared with');
  const tls = tlsOf(ssl, host);
  if (ssl.mode === 'prefer') return { ssl: false, stream: () => new OptionalTls(tls) };
  return { ssl: tls };
}

/** The options of a TLS connection. The files are parsed once, not for each connection. */
function tlsOf({ mode, rootCertificate, clientCertificate }: SslParameters, host: string): ConnectionOptions {
  // With a root certificate, `require` also verifies the chain, as libpq documents.
  const checksChain = mode.startsWith('verify') || (mode === 'require' && rootCertificate !== null);
  const ca = checksChain ? authorities(rootCertificate) : null;
  const client = clientCertificate === null ? {} : pairOf(clientCertificate);
  return {
    rejectUnauthorized: checksChain,
    secureContext: createSecureContext({ ...(ca === null ? {} : { ca }), ...client }),
    // For an IP address, the driver sets no server name, and Node would compare the certificate with `localhost`.
    checkServerIdentity: (name, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(isIP(host) === 0 ? name : host, certificate) : undefined,
  };
}

function authorities(path: string | null): string[] {
  if (path === null || path === 'system') return systemAuthorities();
  return about('sslrootcert', () => certificatesIn(readPem(path)).map((certificate) => certificate.toString()));
}

function pairOf(files: { cert: string; key: string }): { cert: string; key: string } {
  const cert = about('sslcert', () => readPem(files.cert));
  const chain = about('sslcert', () => certificatesIn(cert));
  const key = about('sslkey', () => readPem(files.key));
  const privateKey = about('sslkey', () => privateKeyIn(key));
  if (!isKeyOf(privateKey, chain))
    throw new DatabaseUrlError('has an sslkey that is not the key of the certificate in sslcert');
  return { cert, key };
}

function about<T>(parameter: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PemError) throw new DatabaseUrlError(`has an ${parameter} that ${error.message}`);
    throw error;
  }
}

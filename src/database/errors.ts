import pg from 'pg';

/**
 * What a failed statement means for its caller:
 * - `unavailable`: the server is down, restarting, full or not responding; the same statement may succeed later
 * - `retry`: the statement failed because of a concurrent transaction; retry it immediately
 * - `no_partition`: the day's partition is missing
 * - `bad_data`: PostgreSQL refuses a value; the same statement will always fail
 */
export type DatabaseFailure = 'unavailable' | 'retry' | 'no_partition' | 'bad_data';

/** Classifies an error of a query by its SQLSTATE (PostgreSQL manual, appendix A). */
export function databaseFailure(error: unknown): DatabaseFailure {
  const code = sqlState(error);
  if (code === '40001' || code === '40P01') return 'retry';
  if (code === '23514' && isRouting(error)) return 'no_partition';
  // 22: data exceptions; 54: limits (an index row too large); 23: constraints.
  if (code !== null && /^(22|54|23)/.test(code)) return 'bad_data';
  return 'unavailable';
}

/** Whether an error came from the database or the connection to it, rather than from a bug in the gateway. */
export function isDatabaseError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return true;
  if (!(error instanceof Error)) return false;
  if (sqlState(error) !== null) return true;
  // Also of a socket whose file is gone while the server restarts.
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo')) return true;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_AGAIN)/.test(code)) return true;
  if (isTlsError(error)) return true;
  // Errors that `pg` itself creates have no code.
  return /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client (was closed|has encountered))/.test(
    error.message,
  );
}

/**
 * Whether a connection failed because of TLS: the handshake, a certificate, or a server without TLS.
 * The codes are those of https://nodejs.org/api/tls.html#x509-certificate-error-codes and of OpenSSL.
 */
export function isTlsError(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    /^(ERR_SSL_|ERR_TLS_|UNABLE_TO_|CERT_|CRL_|ERROR_IN_CERT_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH)/.test(
      code,
    ) ||
    serverWithoutTls.test(error.message) ||
    /establishing an SSL connection|TLS connection was established/.test(error.message)
  );
}

/** The driver's message when the server answers that it does not support TLS. */
export const serverWithoutTls = /server does not support SSL/;

/** Whether no partition was found for a row. Checks the server's routine, because the message is localized. */
function isRouting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('routine' in error && error.routine === 'ExecFindPartition') || isRouting(error.cause);
}

/** Whether another transaction has inserted the same key of a unique index. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/** Whether a statement has waited for a lock for as long as it may. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03';

/** Whether the server has canceled a statement (`query_canceled`): it took longer than its limit. */
export const isCanceled = (error: unknown): boolean => sqlState(error) === '57014';

/** The SQLSTATE of each write while the server takes none (`read_only_sql_transaction`). */
export const readOnlyState = '25006';

/** Whether the server takes no writes. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === readOnlyState;

function sqlState(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  // MikroORM wraps the driver's error.
  return error.cause === undefined ? null : sqlState(error.cause);
}

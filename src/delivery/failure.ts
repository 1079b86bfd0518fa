import { getSystemErrorMessage } from 'node:util';

/** Why a request got no response. */
export const failureOutcomes = [
  'timeout',
  'connection_refused',
  'connection_error',
  'dns_failure',
  'tls_error',
  'address_refused',
  'invalid_url',
  'proxy_error',
  'token_error',
] as const;
export type FailureOutcome = (typeof failureOutcomes)[number];

/** A failure with a known reason. The message is for operators and contains no secret. */
export class DeliveryFailure extends Error {
  readonly outcome: FailureOutcome;

  constructor(outcome: FailureOutcome, message: string) {
    super(message);
    this.name = 'DeliveryFailure';
    this.outcome = outcome;
  }
}

/** The code of a Node or undici error, such as `ECONNRESET`; null when it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** A safe text for an error whose own message may contain secrets: the system's text for its number, else its code. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number' && error.errno < 0) {
    return `${getSystemErrorMessage(error.errno)} (${code ?? error.errno})`;
  }
  return code ?? (error instanceof Error ? error.name : 'unknown reason');
}

/** A time for error texts: `200 ms`, `15 s`. */
export function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

/** Describes an error on an established connection; `peer` is host and port. */
export function describeBrokenExchange(error: unknown, peer: string): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  // A server of TLS 1.3 refuses the certificate of a client after the client's handshake has ended.
  return codeOf(error)?.startsWith('ERR_SSL_')
    ? describeTlsFailure(error as Error, peer)
    : new DeliveryFailure('connection_error', brokenText(error, peer));
}

function brokenText(error: unknown, peer: string): string {
  const code = codeOf(error);
  // undici's messages for an unexpected 100 or 101.
  if (error instanceof Error && code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(error.message))
    return `${peer} answered with status 100 or 101, which is not a final response`;
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE')
    return `${peer} closed the connection before it answered`;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return `${peer} answered with more than 16 KiB of headers`;
  if (error instanceof Error && error.name === 'HTTPParserError')
    return `${peer} answered with something that is not HTTP/1.1`;
  return `the exchange with ${peer} failed: ${reasonOf(error)}`;
}

function describeTlsFailure(error: Error, peer: string): DeliveryFailure {
  // OpenSSL's messages are mostly numbers, so its `reason` is used. Node's messages add advice after a semicolon.
  const text = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
  const [reason] = text.split(';');
  return new DeliveryFailure('tls_error', `TLS with ${peer} failed: ${reason} (${codeOf(error) ?? error.name})`);
}

/** Describes a failure to connect; `secured` means that TCP was established and the TLS handshake failed. */
export function describeFailedConnect(error: Error, peer: string, secured: boolean): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  if (secured) return describeTlsFailure(error, peer);
  // A name with several addresses fails with one error for each address.
  const codes = error instanceof AggregateError ? error.errors.map(codeOf) : [codeOf(error)];
  if (codes.includes('ECONNREFUSED'))
    return new DeliveryFailure('connection_refused', `${peer} refused the connection`);
  if (codes.includes('ETIMEDOUT')) return new DeliveryFailure('timeout', `connecting to ${peer} timed out`);
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return new DeliveryFailure('connection_error', `connecting to ${peer} failed: ${reasonOf(first)}`);
}

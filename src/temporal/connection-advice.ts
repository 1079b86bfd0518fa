import type { TemporalServer } from './connection.ts';

/** The errors of the two gRPC libraries when a server or a proxy closes the connection of a refused client. */
const closedByServer =
  /failed to connect|broken ?pipe|unexpected ?eof|connection ?reset|ECONNRESET|EPIPE|dropped|socket hang up|disconnected|closed|alert|CertificateRequired|UnknownCA|HandshakeFailure|DecryptError|h2 protocol error|INVALID_|protocol error/i;

/**
 * Advice on the setting to check when a connection to Temporal fails. It is derived from the libraries' errors about
 * certificates and about closed connections. Null when the error is not related to TLS.
 */
export function connectionAdvice(server: TemporalServer, error: unknown): string | null {
  const said = textsOf(error);
  if (/connection refused|ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT/i.test(said)) return null;
  if (/UnknownIssuer|unable to (verify|get)|self.signed|BadSignature|signature failure/i.test(said))
    return "the server's certificate is not signed by a trusted authority: set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file of the one that did";
  if (/NotValidForName|altnames|does not match certificate/i.test(said))
    return "the server's certificate is for another name: set TEMPORAL_TLS_SERVER_NAME to a name that it has";
  if (/Expired/i.test(said)) return "the server's certificate has expired: renew it there";
  if (/InvalidContentType|wrong.version|packet length too long|corrupt message/i.test(said))
    return 'the server responds without TLS: set TEMPORAL_TLS=false, or correct TEMPORAL_ADDRESS';
  if (!closedByServer.test(said)) return null;
  if (server.tls === false) return 'the server may want TLS: set TEMPORAL_TLS=true, and what else it asks for';
  const shown = typeof server.tls === 'object' && server.tls.clientCertPair !== undefined;
  return shown
    ? 'the server may not accept the client certificate: look at TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH'
    : 'the server may want a client certificate: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH';
}

function textsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${textsOf(error.cause)}`;
}

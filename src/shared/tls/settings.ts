/** What a server demands of TLS, besides what is usual. */
export interface TlsSettings {
  /** Identifies these settings. */
  key: string;
  /** The authorities that are trusted, in PEM; absent: those of Node.js and NODE_EXTRA_CA_CERTS. */
  ca?: string;
  /** The client's certificate with its chain, and its private key, in PEM. */
  certificate?: string;
  privateKey?: string;
}

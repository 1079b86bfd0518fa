import { hash } from 'node:crypto';
import { certificatesIn, PemError } from '../shared/tls/pem.ts';

/** How deliveries to a consumer authenticate: see sealed-options.ts. */
export type Authentication =
  | { type: 'basic'; username: string; password: string }
  | { type: 'bearer'; token: string }
  | { type: 'header'; name: string; value: string }
  | {
      type: 'oauth2';
      token_url: string;
      client_id: string;
      client_secret: string;
      scope?: string | undefined;
      audience?: string | undefined;
      client_auth: 'basic' | 'body';
    }
  /** Certificate with its chain, and private key, in PEM. */
  | { type: 'mtls'; certificate: string; key: string };

/** What is shown of it: without its secrets. It is `unreadable` if SECRETS_KEY does not decrypt it. */
export type ShownAuthentication =
  | { type: 'basic'; username: string }
  | { type: 'bearer' }
  | { type: 'header'; name: string }
  | Omit<Extract<Authentication, { type: 'oauth2' }>, 'client_secret'>
  | { type: 'mtls'; certificate: string; subject: string; expires_at: string }
  | { type: 'unreadable' };

/** A client of an OAuth 2 server, whose access token authenticates deliveries. */
export interface OAuthClient {
  /** Identifies all of it, so that a change of its secret needs another token. */
  key: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string | undefined;
  audience: string | undefined;
  /** How the client names itself to the server: RFC 6749, section 2.3.1. */
  clientAuth: 'basic' | 'body';
}

/** The client of an `oauth2`; null for another type. */
export function oauthClient(authentication: Authentication | undefined): OAuthClient | null {
  if (authentication?.type !== 'oauth2') return null;
  const { token_url, client_id, client_secret, scope, audience, client_auth } = authentication;
  return {
    key: hash('sha256', JSON.stringify([token_url, client_id, client_secret, scope, audience, client_auth]), 'base64'),
    ...{ tokenUrl: token_url, clientId: client_id, clientSecret: client_secret, clientAuth: client_auth },
    ...{ scope, audience },
  };
}

/** The header that a delivery always sends for it; null: none. Basic: RFC 7617; Bearer: RFC 6750, section 2.1. */
export function authenticationHeader(authentication: Authentication): readonly [name: string, value: string] | null {
  switch (authentication.type) {
    case 'basic':
      return ['authorization', `Basic ${base64(pairOf(authentication))}`];
    case 'bearer':
      return bearerHeader(authentication.token);
    case 'header':
      return [authentication.name, authentication.value];
    case 'oauth2':
    case 'mtls':
      return null;
    default:
      return authentication satisfies never;
  }
}

export const bearerHeader = (token: string) => ['authorization', `Bearer ${token}`] as const;

const pairOf = ({ username, password }: { username: string; password: string }) => `${username}:${password}`;
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

/** Its secret values, in the forms in which they occur in a request. */
export function secretsOfAuthentication(authentication: Authentication): string[] {
  switch (authentication.type) {
    case 'basic':
      return [authentication.password, pairOf(authentication)];
    case 'bearer':
      return [authentication.token];
    case 'header':
      return [authentication.value];
    case 'oauth2':
      return [
        authentication.client_secret,
        `${formEncoded(authentication.client_id)}:${formEncoded(authentication.client_secret)}`,
      ];
    case 'mtls':
      return [authentication.key, ...linesOf(authentication.key)];
    default:
      return authentication satisfies never;
  }
}

/** As RFC 6749, section 2.3.1 has it in the header of a client: the form that oauth4webapi sends. */
const formEncoded = (text: string) =>
  encodeURIComponent(text).replace(/(?:[-_.!~*'()]|%20)/g, (one) =>
    one === '%20' ? '+' : `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The lines of a private key that contain it. */
const linesOf = (pem: string) => pem.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('-----'));

/** What is shown of it. */
export function shownAuthentication(authentication: Authentication): ShownAuthentication {
  switch (authentication.type) {
    case 'basic':
      return { type: authentication.type, username: authentication.username };
    case 'bearer':
      return { type: authentication.type };
    case 'header':
      return { type: authentication.type, name: authentication.name };
    case 'oauth2': {
      const { client_secret: _, ...shown } = authentication;
      return shown;
    }
    case 'mtls': {
      const { type, certificate } = authentication;
      const { subject, endsAt } = clientCertificate(certificate);
      return { type, certificate, subject, expires_at: endsAt.toISOString() };
    }
    default:
      return authentication satisfies never;
  }
}

/** The first certificate of a PEM text that was checked: its subject in one line, and when it expires. */
export function clientCertificate(pem: string): { subject: string; endsAt: Date } {
  const [first] = certificatesIn(pem);
  if (!first) throw new PemError('holds no certificate');
  return { subject: (first.subject ?? '').split('\n').join(', '), endsAt: first.validToDate };
}

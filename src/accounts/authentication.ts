/** How deliveries to a consumer authenticate: see sealed-options.ts. */
export type Authentication =
  | { type: 'basic'; username: string; password: string }
  | { type: 'bearer'; token: string }
  | { type: 'header'; name: string; value: string };

/** What is shown of it. It is `unreadable` if SECRETS_KEY does not decrypt it. */
export type ShownAuthentication =
  | { type: 'basic'; username: string }
  | { type: 'bearer' }
  | { type: 'header'; name: string }
  | { type: 'unreadable' };

/** The header that a delivery sends for it. Basic: RFC 7617; Bearer: RFC 6750, section 2.1. */
export function authenticationHeader(authentication: Authentication): readonly [name: string, value: string] {
  switch (authentication.type) {
    case 'basic':
      return ['authorization', `Basic ${Buffer.from(pairOf(authentication), 'utf8').toString('base64')}`];
    case 'bearer':
      return ['authorization', `Bearer ${authentication.token}`];
    case 'header':
      return [authentication.name, authentication.value];
    default:
      return authentication satisfies never;
  }
}

const pairOf = ({ username, password }: { username: string; password: string }) => `${username}:${password}`;

/** Its secret values, in the forms in which they occur in a request. */
export function secretsOfAuthentication(authentication: Authentication): string[] {
  switch (authentication.type) {
    case 'basic':
      return [authentication.password, pairOf(authentication)];
    case 'bearer':
      return [authentication.token];
    case 'header':
      return [authentication.value];
    default:
      return authentication satisfies never;
  }
}

/** What is shown of it: without its secrets. */
export function shownAuthentication(authentication: Authentication): ShownAuthentication {
  switch (authentication.type) {
    case 'basic':
      return { type: authentication.type, username: authentication.username };
    case 'bearer':
      return { type: authentication.type };
    case 'header':
      return { type: authentication.type, name: authentication.name };
    default:
      return authentication satisfies never;
  }
}

/**
 * The token of an `Authorization: Bearer` header; null for another scheme. The scheme is case-insensitive, and several
 * spaces may follow it (RFC 9110, sections 11.1 and 11.4).
 */
export function bearerToken(authorization: string): string | null {
  return /^bearer /i.test(authorization) ? authorization.slice('bearer '.length).trim() : null;
}

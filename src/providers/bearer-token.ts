/**
 * What `Authorization` holds behind `Bearer`, or null for another scheme. The scheme's case does not matter and more than one
 * space may follow it (RFC 9110, 11.1 and 11.4).
 */
export function bearerToken(authorization: string): string | null {
  return /^bearer /i.test(authorization) ? authorization.slice('bearer '.length).trim() : null;
}

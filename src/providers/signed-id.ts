/**
 * Whether an id from a header contains characters of a body: space, tab, quotes, brackets or braces. Where id, time and
 * body are signed as one text, an attacker could move the end of such an id into the body. An old message would then
 * pass as a new one.
 */
export function holdsBody(id: string): boolean {
  return /[ \t"'`{}[\]]/.test(id);
}

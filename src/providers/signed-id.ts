/**
 * Whether a header's id holds what only a body has. Where id, time and body are signed as one text, the end of such an id
 * could be moved into the body, and an old message would be a new one.
 */
export function holdsBody(id: string): boolean {
  return /[ \t"'`{}[\]]/.test(id);
}

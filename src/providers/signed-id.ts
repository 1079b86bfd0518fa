/**
 * The characters that no signed id may contain, as a regular expression: controls, space, quotes, brackets and braces.
 * Bytes are latin1 characters, as in Node's headers.
 */
export const outsideIds = '[^\\x21-\\xff]|["\'`{}[\\]]';

const outside = new RegExp(outsideIds);

/**
 * Whether an id from a header contains characters of a body: {@link outsideIds}. Where id, time and body are signed as
 * one text, an attacker could move the end of such an id into the body. An old message would then pass as a new one.
 */
export function holdsBody(id: string): boolean {
  return outside.test(id);
}

const ellipsis = '…';

// Direction overrides and isolates can make a text look different: "exe.fdp" as "pdf.exe".
const directionControls = /[\u202A-\u202E\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the very characters that are to be shown
const c0Controls = /[\u0000-\u0008\u000B-\u001F\u007F]/g;
const c1Controls = /[\u0080-\u009F]/g;

/** The visible symbol of a C0 control character or DEL (Unicode block "Control Pictures"): ␀ for NUL. */
function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
}

/**
 * Makes text from outside safe to show. Line ends become `\n`, other control characters become visible symbols, and
 * lone surrogates, C1 controls and direction overrides become U+FFFD. Tabs are kept.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(c0Controls, pictureOf)
    .replace(c1Controls, '\uFFFD')
    .replace(directionControls, '\uFFFD');
}

/** Like {@link visible}, on one line and without space around it. */
export function oneLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}

/** The first `length` UTF-16 units of a text, without half a surrogate pair at the end, followed by an ellipsis. */
const beginning = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') + ellipsis;

/** Cuts `text` to at most `maxLength` UTF-16 units, between characters, with an ellipsis in place of the rest. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return maxLength < 1 ? '' : beginning(text, maxLength - 1);
}

/**
 * Escapes `text` and cuts it so that the result has at most `maxLength` UTF-16 units. The text is cut before it is
 * escaped, so no escape sequence is split. Services count characters, and a text never has more characters than units.
 *
 * @param escaped must not shorten a text, and must leave the ellipsis unchanged
 */
export function escapedWithin(text: string, maxLength: number, escaped: (text: string) => string): string {
  if (text.length <= maxLength) {
    const whole = escaped(text);
    if (whole.length <= maxLength) return whole;
  }
  if (maxLength < 1) return '';
  let fits = 0;
  let tooLong = maxLength;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (escaped(beginning(text, middle)).length <= maxLength) fits = middle;
    else tooLong = middle;
  }
  return escaped(beginning(text, fits));
}

const percent = (character: string) =>
  /[()]/.test(character) ? `%${character.charCodeAt(0).toString(16)}` : encodeURIComponent(character);

/**
 * Encodes a URL so that it cannot end the markup around it. Characters that a URL must not contain (RFC 3986, section
 * 2) are percent-encoded, and so are parentheses.
 */
export function plainUrl(url: string): string {
  return url.toWellFormed().replace(/[^\w!#$%&'*+,\-./:;=?@[\]~]/gu, percent);
}

/** A time in the form `2026-11-21 15:33:16 UTC`. */
export function utc(at: Date): string {
  return at
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** A text with the marks written out that change the direction of the text around them. */
export const visibleText = (text: string) =>
  text.replaceAll(
    /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

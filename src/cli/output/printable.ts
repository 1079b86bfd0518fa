/** A text with its control characters as `\x1b`: what a provider sent must not move the cursor of a terminal. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to show
  text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });

/** As `printable`, for what is one line: what a provider sent must not look like another one. */
export const oneLine = (text: string): string => printable(text).replaceAll('\n', '\\x0a');

import { createToken, Lexer } from 'chevrotain';

/** A name that is no keyword. Others than ASCII ones exist nowhere, so their letters are `Unknown`. */
export const Name = createToken({ name: 'Name', pattern: /[A-Za-z_]\w*/ });

/** Keywords are taken in any case. */
const keyword = (name: string, pattern: RegExp) => createToken({ name, pattern, longer_alt: Name });
export const Or = keyword('Or', /or/i);
export const And = keyword('And', /and/i);
export const Not = keyword('Not', /not/i);
export const In = keyword('In', /in/i);
export const True = keyword('True', /true/i);
export const False = keyword('False', /false/i);

export const Equal = createToken({ name: 'Equal', pattern: /==/ });
export const NotEqual = createToken({ name: 'NotEqual', pattern: /!=/ });
export const Open = createToken({ name: 'Open', pattern: /\(/ });
export const Close = createToken({ name: 'Close', pattern: /\)/ });
export const OpenList = createToken({ name: 'OpenList', pattern: /\[/ });
export const CloseList = createToken({ name: 'CloseList', pattern: /]/ });
export const Comma = createToken({ name: 'Comma', pattern: /,/ });
export const Dot = createToken({ name: 'Dot', pattern: /\./ });

/** Whatever begins as a number does; `readInteger` says which of them are. */
export const Integer = createToken({ name: 'Integer', pattern: /[+-]?\d[\w.]*/ });
/** With its quotes; `readText` says what its escapes mean. */
export const Text = createToken({
  name: 'Text',
  pattern: /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/,
  line_breaks: true,
});
/** A text whose quote never closes: all the rest. No rule takes it. */
export const Unclosed = createToken({ name: 'Unclosed', pattern: /["'][\s\S]*/, line_breaks: true });
/** One character that begins nothing. No rule takes it, so that it is an error where it stands and not before. */
const Unknown = createToken({
  name: 'Unknown',
  pattern: /[\uD800-\uDBFF][\uDC00-\uDFFF]|[\s\S]/,
  line_breaks: true,
});

const Space = createToken({ name: 'Space', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });

/** In the order in which they are tried. */
export const tokens = [
  ...[Space, Equal, NotEqual, Open, Close, OpenList, CloseList, Comma, Dot],
  ...[Or, And, Not, In, True, False, Name, Integer, Text, Unclosed, Unknown],
];

/**
 * Lines and columns are counted where there is an error: see `placeOf`. Without its safe mode Chevrotain 11.2 picks tokens by
 * their first character, and takes `[\s\S]` for white space alone.
 */
export const lexer = new Lexer(tokens, { positionTracking: 'onlyOffset', safeMode: true });

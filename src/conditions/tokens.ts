import { createToken, Lexer } from 'chevrotain';

/** Any word, also a keyword: the name of a segment of a path. */
export const Word = createToken({ name: 'Word', pattern: Lexer.NA });

/** A name that is not a keyword. All valid names are ASCII, so other letters are `Unknown` tokens. */
export const Name = createToken({ name: 'Name', pattern: /[A-Za-z_]\w*/, categories: Word });

const keyword = (name: string, pattern: RegExp) => createToken({ name, pattern, longer_alt: Name, categories: Word });
/** Keywords are case-insensitive. */
export const Or = keyword('Or', /or/i);
export const And = keyword('And', /and/i);
export const Not = keyword('Not', /not/i);
export const In = keyword('In', /in/i);
export const True = keyword('True', /true/i);
export const False = keyword('False', /false/i);
/** Case-sensitive, like the names of variables. */
export const Payload = keyword('Payload', /payload/);
export const Header = keyword('Header', /header/);
export const Exists = keyword('Exists', /exists/);
export const Matches = keyword('Matches', /matches/);

export const Equality = createToken({ name: 'Equality', pattern: /[=!]=/ });
export const Ordering = createToken({ name: 'Ordering', pattern: /[<>]=?/ });
export const Open = createToken({ name: 'Open', pattern: /\(/ });
export const Close = createToken({ name: 'Close', pattern: /\)/ });
export const OpenList = createToken({ name: 'OpenList', pattern: /\[/ });
export const CloseList = createToken({ name: 'CloseList', pattern: /]/ });
export const Comma = createToken({ name: 'Comma', pattern: /,/ });
export const Dot = createToken({ name: 'Dot', pattern: /\./ });

/** Any text that begins like a number; literals.ts checks whether it is one. */
export const Numeral = createToken({ name: 'Numeral', pattern: /[+-]?\d[\w.]*/ });
/** A text with its quotes; `readText` decodes its escapes. */
export const Text = createToken({
  name: 'Text',
  pattern: /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/,
  line_breaks: true,
});
/** A text without a closing quote: the rest of the condition. No rule accepts it. */
export const Unclosed = createToken({ name: 'Unclosed', pattern: /["'][\s\S]*/, line_breaks: true });
/** A character that begins no other token. No rule accepts it, so the error is at its position and not earlier. */
const Unknown = createToken({
  name: 'Unknown',
  pattern: /[\uD800-\uDBFF][\uDC00-\uDFFF]|[\s\S]/,
  line_breaks: true,
});

const Space = createToken({ name: 'Space', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });

/** In the order in which they are tried. */
export const tokens = [
  ...[Space, Equality, Ordering, Open, Close, OpenList, CloseList, Comma, Dot],
  ...[Or, And, Not, In, True, False, Payload, Header, Exists, Matches, Word, Name],
  ...[Numeral, Text, Unclosed, Unknown],
];

/**
 * Tracks only offsets: `placeOf` computes line and column when there is an error. Safe mode is needed because
 * Chevrotain otherwise selects tokens by their first character, and treats `[\s\S]` as white space only (seen in 11.2).
 */
export const lexer = new Lexer(tokens, { positionTracking: 'onlyOffset', safeMode: true });

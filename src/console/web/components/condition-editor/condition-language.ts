import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

const keywords = /^(?:and|or|not|in)$/i;
const functions = /^(?:exists|matches)$/;
const booleans = /^(?:true|false)$/i;

/** The language of conditions (docs/notifications.md), as far as its colours need it. */
const language = StreamLanguage.define<{ quote: string | null }>({
  name: 'condition',
  startState: () => ({ quote: null }),
  token(stream, state) {
    if (state.quote !== null || /["']/.test(stream.peek() ?? '')) {
      // A text can go over several lines.
      const quote = state.quote ?? stream.next() ?? '"';
      const rest = stream.match(quote === '"' ? /^(?:[^"\\]|\\.)*/ : /^(?:[^'\\]|\\.)*/);
      state.quote = rest && stream.eat(quote) ? null : quote;
      if (state.quote !== null) stream.skipToEnd();
      return 'string';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^[+-]?\d[\w.]*/)) return 'number';
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (word && word !== true) {
      // A method, or a segment of a path, which may be any word.
      if (stream.string.charAt(stream.start - 1) === '.' || functions.test(word[0])) return 'propertyName';
      if (keywords.test(word[0])) return 'keyword';
      return booleans.test(word[0]) ? 'bool' : 'variableName';
    }
    if (!stream.match(/^(?:[=!<>]=|[<>])/)) stream.next();
    return 'operator';
  },
});

/** Red is the colour of mistakes here, so keywords have another one than in the shared theme. */
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.operator, color: 'var(--aside)' },
  { tag: tags.propertyName, color: 'var(--text)' },
]);

/** The language with its colours. It stands before the shared theme, so that its colours win. */
export const conditionLanguage: Extension = [language, syntaxHighlighting(colours)];

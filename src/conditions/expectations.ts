import type { IParserErrorMessageProvider, TokenType } from 'chevrotain';
import * as t from './tokens.ts';
import { contents, functions, type Kind, methods, type VariableName } from './tree.ts';

/** The descriptions of expected input in error texts. */
export const expectations = {
  condition: 'a condition',
  name: (variables: readonly VariableName[]) => `one of ${[...variables, ...contents, ...functions].join(', ')}`,
  method: `${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`,
  segment: 'a name',
  key: 'a text in quotes or an index',
  content: contents.join(' or '),
  literal: {
    text: 'a text in quotes',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    any: 'a text in quotes, a number, true or false',
  } satisfies Record<Kind, string>,
};

const compared = [t.Equality, t.In];
const ofNumber = { tokens: [...compared, t.Ordering], words: '==, !=, <, <=, >, >= or in' };

/** The tokens that may follow a value of each kind. A boolean alone is a complete condition. */
export const followers: Record<Kind, { tokens: readonly TokenType[]; words: string }> = {
  text: { tokens: [...compared, t.Dot], words: '==, !=, in, .startswith, .endswith or .contains' },
  integer: ofNumber,
  number: ofNumber,
  boolean: { tokens: [...compared, t.And, t.Or], words: '==, !=, in, and, or' },
  any: {
    tokens: [...compared, t.Ordering, t.Dot, t.And, t.Or],
    words: '==, !=, <, <=, >, >=, in, .startswith, .endswith, .contains, and, or',
  },
};

/** Reduces Chevrotain's errors to the expected input. `parse.ts` adds the text that was found. */
export const expectedOnly: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => expected.name,
  buildNotAllInputParsedMessage: () => 'the end',
  buildNoViableAltMessage: ({ customUserDescription = 'something else' }) => customUserDescription,
  buildEarlyExitMessage: ({ customUserDescription = 'something else' }) => customUserDescription,
};

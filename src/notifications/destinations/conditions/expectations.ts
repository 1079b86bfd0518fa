import type { IParserErrorMessageProvider, TokenType } from 'chevrotain';
import * as t from './tokens.ts';
import { type Kind, methods, variableKinds } from './tree.ts';

/** The descriptions of expected input in error texts. */
export const expectations = {
  condition: 'a condition',
  name: `one of ${Object.keys(variableKinds).join(', ')}`,
  method: `${methods.slice(0, -1).join(', ')} or ${methods.at(-1)}`,
  literal: { text: 'a text in quotes', integer: 'a whole number', boolean: 'true or false' } satisfies Record<
    Kind,
    string
  >,
};

const compared = [t.Equal, t.NotEqual, t.In];

/** The tokens that may follow a value of each kind. A boolean alone is a complete condition. */
export const followers: Record<Kind, { tokens: readonly TokenType[]; words: string }> = {
  text: { tokens: [...compared, t.Dot], words: '==, !=, in, .startswith, .endswith or .contains' },
  integer: { tokens: compared, words: '==, != or in' },
  boolean: { tokens: [...compared, t.And, t.Or], words: '==, !=, in, and, or' },
};

/** Reduces Chevrotain's errors to the expected input. `parse.ts` adds the text that was found. */
export const expectedOnly: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected }) => expected.name,
  buildNotAllInputParsedMessage: () => 'the end',
  buildNoViableAltMessage: ({ customUserDescription = 'something else' }) => customUserDescription,
  buildEarlyExitMessage: ({ customUserDescription = 'something else' }) => customUserDescription,
};

import { EOF, type IToken, tokenMatcher } from 'chevrotain';
import { ConditionError } from './condition-error.ts';
import { followers } from './expectations.ts';
import { Close } from './tokens.ts';
import type { Kind } from './tree.ts';

/** Far more than anyone reads; each level is a few frames of the stack. */
const maxLevels = 50;

/** Where a rule is: how many `not` and parentheses are open, and what closes the innermost. */
export interface Place {
  level: number;
  end: 'the end' | ')';
}

/** @throws ConditionError at the token that opens one level too many */
export function deeper({ level }: Place, token: IToken, end: Place['end']): Place {
  if (level === maxLevels)
    throw new ConditionError(token.startOffset, `at most ${maxLevels} levels of not and parentheses`, 'one more');
  return { level: level + 1, end };
}

/** @throws ConditionError when what stands after a value makes no condition of it */
export function expectFollower(kind: Kind, next: IToken, { end }: Place): void {
  const { tokens, words } = followers[kind];
  const ends = kind === 'boolean' && tokenMatcher(next, end === ')' ? Close : EOF);
  if (ends || tokens.some((token) => tokenMatcher(next, token))) return;
  throw ConditionError.at(next, kind === 'boolean' ? `${words} or ${end}` : words);
}

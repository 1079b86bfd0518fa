import { EOF, type IToken, tokenMatcher } from 'chevrotain';
import { ConditionError } from './condition-error.ts';
import { followers } from './expectations.ts';
import { Close } from './tokens.ts';
import type { Kind } from './tree.ts';

/** Far more than a readable condition has. Each level takes a few stack frames. */
const maxLevels = 50;

/** The position of a rule: the number of enclosing `not` and parentheses, and the end of the innermost one. */
export interface Place {
  level: number;
  end: 'the end' | ')';
}

/** Enters a level. @throws ConditionError at the token that opens one level too many */
export function deeper({ level }: Place, token: IToken, end: Place['end']): Place {
  if (level === maxLevels)
    throw new ConditionError(token.startOffset, `at most ${maxLevels} levels of not and parentheses`, 'one more');
  return { level: level + 1, end };
}

/** Checks the token after a value. @throws ConditionError when it cannot follow a value of this kind */
export function expectFollower(kind: Kind, next: IToken, { end }: Place): void {
  const { tokens, words } = followers[kind];
  const isComplete = kind === 'boolean' || kind === 'any';
  const ends = isComplete && tokenMatcher(next, end === ')' ? Close : EOF);
  if (ends || tokens.some((token) => tokenMatcher(next, token))) return;
  throw ConditionError.at(next, isComplete ? `${words} or ${end}` : words);
}

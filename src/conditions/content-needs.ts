import { oncePer } from '../shared/once-per.ts';
import type { Condition, Operand } from './tree.ts';

/** What conditions read of the content of an event. */
export interface ContentNeeds {
  payload: boolean;
  headers: boolean;
}

/** What a condition reads of the content, on any event. */
export const contentNeeds: (condition: Condition) => ContentNeeds = oncePer(read);

/** What several conditions read. */
export const together = (needs: readonly ContentNeeds[]): ContentNeeds => ({
  payload: needs.some(({ payload }) => payload),
  headers: needs.some(({ headers }) => headers),
});

function read(condition: Condition): ContentNeeds {
  switch (condition.kind) {
    case 'or':
    case 'and':
      return together(condition.operands.map(read));
    case 'not':
      return read(condition.operand);
    case 'alone':
    case 'exists':
      return ofOperand(condition.operand);
    case 'compare':
      return together([ofOperand(condition.left), ofOperand(condition.right)]);
    case 'in':
    case 'method':
    case 'matches':
      return ofOperand(condition.left);
    default:
      return condition satisfies never;
  }
}

const ofOperand = ({ kind }: Operand): ContentNeeds => ({ payload: kind === 'payload', headers: kind === 'header' });

import { counted } from '../../components/number-text.ts';
import type { Counted } from './use-bulk-order.ts';

/** How many events a filter finds that the job leaves out, because a person has closed them; nothing if there are none. */
export function LeftOut({ found }: { found: Counted | null | undefined }) {
  if (!found || found.left_out === 0) return null;
  return (
    <p>
      {counted(found.left_out, 'event')} that a person has acknowledged or declared dead{' '}
      {found.left_out === 1 ? 'is' : 'are'} left out. To change them, filter by their state.
    </p>
  );
}

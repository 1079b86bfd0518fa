import type { EventDetails } from '../../../api/types.ts';
import { FoldText } from './attempt-list.tsx';
import { EntryItem } from './entry-item.tsx';
import type { AttemptEntry } from './folded-entries.ts';
import styles from './timeline.module.css';
import { toneOf } from './timeline-entries.ts';
import { waitBefore } from './waits.ts';

/** Equal attempts, newest first, folded; open if the address leads to one of them. */
export function FoldItem(props: { attempts: readonly AttemptEntry[]; event: EventDetails; linked: string | null }) {
  const { attempts, event, linked } = props;
  const [newest] = attempts;
  if (!newest) return null;
  return (
    <li className={styles.entry} data-tone={toneOf(newest)}>
      <details open={attempts.some(({ key }) => key === linked)}>
        <summary>
          <FoldText attempts={attempts} />
        </summary>
        <ol className={`${styles.list} ${styles.folded}`}>
          {attempts.map((entry, index) => (
            <EntryItem
              key={entry.key}
              entry={entry}
              event={event}
              waited={waitBefore(entry, attempts[index + 1])}
              isLinked={entry.key === linked}
            />
          ))}
        </ol>
      </details>
    </li>
  );
}

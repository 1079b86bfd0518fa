import styles from './overview.module.css';
import { type RangeName, ranges } from './ranges.ts';

const names = Object.keys(ranges) as RangeName[];

/** Chooses the span of time of charts and accounts. */
export function RangeChoice({ chosen, onChoose }: { chosen: RangeName; onChoose(name: RangeName): void }) {
  return (
    <fieldset className={styles.ranges}>
      <legend className="visually-hidden">Time</legend>
      {names.map((name) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {ranges[name].label}
        </button>
      ))}
    </fieldset>
  );
}

import { useId } from 'react';
import styles from './pace-field.module.css';

/** How fast a job changes its events: all at once, or a number a second. */
export interface Pace {
  isLimited: boolean;
  /** What stands in the field. */
  perSecond: string;
}

/** @param perSecond the proposed number a second; null proposes all at once */
export const paceOf = (perSecond: number | null): Pace => ({
  isLimited: perSecond !== null,
  perSecond: String(perSecond ?? 10),
});

/** The part of an order that sets its pace. */
export const orderedPace = ({ isLimited, perSecond }: Pace): { per_second?: number } =>
  isLimited ? { per_second: Number(perSecond) } : {};

/** Chooses the pace of a job, in a form. */
export function PaceField({ pace, onChange }: { pace: Pace; onChange(pace: Pace): void }) {
  const id = useId();
  const radio = (isLimited: boolean, label: string) => (
    <>
      <input
        type="radio"
        id={`${id}-${isLimited}`}
        name={id}
        checked={pace.isLimited === isLimited}
        onChange={() => onChange({ ...pace, isLimited })}
      />
      <label htmlFor={`${id}-${isLimited}`}>{label}</label>
    </>
  );
  return (
    <fieldset className={styles.choices}>
      <legend>Pace</legend>
      <div className={styles.choice}>{radio(false, 'All at once')}</div>
      <div className={styles.choice}>
        {radio(true, 'At most')}
        <input
          className={styles.number}
          type="number"
          aria-label="Events per second"
          aria-describedby={`${id}-hint`}
          min={1}
          max={1000}
          required={pace.isLimited}
          disabled={!pace.isLimited}
          value={pace.perSecond}
          onChange={({ target }) => onChange({ ...pace, perSecond: target.value })}
        />
        <span>events a second</span>
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        A consumer that has just recovered gets no more than it can take. The job waits while a pause holds up its next
        event.
      </p>
    </fieldset>
  );
}

import { Button } from '../../../components/button.tsx';
import styles from './account.module.css';

/** The API keeps the hours of 31 days. */
export const ranges = [
  [24, '24 h'],
  [168, '7 d'],
  [744, '31 d'],
] as const;

/** How far back a chart goes. */
export function RangeChoice({ hours, onChange }: { hours: number; onChange(hours: number): void }) {
  return (
    <fieldset className={styles.ranges}>
      <legend className="visually-hidden">Time range</legend>
      {ranges.map(([value, label]) => (
        <Button key={value} tone="quiet" aria-pressed={hours === value} onClick={() => onChange(value)}>
          {label}
        </Button>
      ))}
    </fieldset>
  );
}

import styles from './segments.module.css';

/** Chooses one of a few values that are all in sight, such as spans of time. */
export function Segments<Value extends string | number>(props: {
  /** What is chosen, for screen readers. */
  legend: string;
  options: readonly (readonly [value: Value, label: string])[];
  chosen: NoInfer<Value>;
  onChoose(value: NoInfer<Value>): void;
}) {
  const { legend, options, chosen, onChoose } = props;
  return (
    <fieldset className={styles.segments}>
      <legend className="visually-hidden">{legend}</legend>
      {options.map(([value, label]) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {label}
        </button>
      ))}
    </fieldset>
  );
}

import { Popover } from '@base-ui/react/popover';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { submits } from '../../../components/submits.ts';
import styles from './filters.module.css';

/** One filter: its name, its value if it has one, and a list of values to choose from. What is typed finds them. */
export function FilterPill(props: {
  label: string;
  value: string | undefined;
  values: readonly string[];
  /** Whether there are no other values. Otherwise any text can be typed. */
  isClosed: boolean;
  /** The text that is shown for a value; the value itself by default. */
  textOf?(value: string): string;
  onChange(value: string | undefined): void;
}) {
  const { label, value, values, isClosed, textOf = String, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const wanted = text.toLowerCase();
  const textsOf = (one: string) => [one, textOf(one)].map((each) => each.toLowerCase());
  const matching = values.filter((one) => textsOf(one).some((each) => each.includes(wanted)));
  const named =
    matching.find((one) => textsOf(one).includes(wanted)) ?? (matching.length === 1 ? matching[0] : undefined);
  const entered = isClosed ? named : text;
  const choose = (chosen: string | undefined) => {
    onChange(chosen);
    setOpen(false);
    setTyped('');
  };
  return (
    <span className={styles.pill} data-on={value !== undefined}>
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger className={styles.trigger}>
          {label}
          {value !== undefined && (
            <>
              : <bdi className={styles.value}>{textOf(value)}</bdi>
            </>
          )}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={6} align="start" className={styles.positioner}>
            <Popover.Popup className={styles.popup} aria-label={label}>
              <form
                onSubmit={submits(() => {
                  if (text !== '' && entered !== undefined) choose(entered);
                })}
              >
                <input
                  aria-label={`${label}: type a value`}
                  placeholder={values.length > 0 ? 'Type to find' : 'Type a value'}
                  value={typed}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => setTyped(target.value)}
                />
              </form>
              <ul className={styles.values}>
                {matching.slice(0, 100).map((one) => (
                  <li key={one}>
                    <button type="button" aria-pressed={one === value} onClick={() => choose(one)}>
                      <bdi>{textOf(one)}</bdi>
                    </button>
                  </li>
                ))}
              </ul>
              {isClosed && text !== '' && matching.length === 0 && <p className="aside">There is no such value.</p>}
              {!isClosed && text !== '' && !values.includes(text) && (
                <Button onClick={() => choose(text)}>Exactly “{text}”</Button>
              )}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {value !== undefined && (
        <button
          type="button"
          className={styles.remove}
          aria-label={`Remove ${label}`}
          onClick={() => choose(undefined)}
        >
          ×
        </button>
      )}
    </span>
  );
}

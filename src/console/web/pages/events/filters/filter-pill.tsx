import { Popover } from '@base-ui/react/popover';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { submits } from '../../../components/submits.ts';
import styles from './filters.module.css';

/** One filter: its name, its value if it has one, and a list of values to choose from; another one can be typed. */
export function FilterPill(props: {
  label: string;
  value: string | undefined;
  values: readonly string[];
  /** The text that is shown for a value; the value itself by default. */
  textOf?(value: string): string;
  onChange(value: string | undefined): void;
}) {
  const { label, value, values, textOf = String, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const matching = values.filter((one) => textOf(one).toLowerCase().includes(typed.toLowerCase())).slice(0, 100);
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
                  if (typed.trim() !== '') choose(typed.trim());
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
                {matching.map((one) => (
                  <li key={one}>
                    <button type="button" aria-pressed={one === value} onClick={() => choose(one)}>
                      <bdi>{textOf(one)}</bdi>
                    </button>
                  </li>
                ))}
              </ul>
              {typed.trim() !== '' && !values.includes(typed.trim()) && (
                <Button onClick={() => choose(typed.trim())}>Exactly “{typed.trim()}”</Button>
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

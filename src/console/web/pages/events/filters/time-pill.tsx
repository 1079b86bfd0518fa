import { Popover } from '@base-ui/react/popover';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { fromLocalInput, toLocalInput } from '../../../components/local-input.ts';
import { submits } from '../../../components/submits.ts';
import { localTime } from '../../../components/time-text.ts';
import styles from './filters.module.css';

const presets = [
  ['Last 15 minutes', 15 * 60_000],
  ['Last hour', 3_600_000],
  ['Last 24 hours', 86_400_000],
  ['Last 7 days', 7 * 86_400_000],
] as const;

export interface TimeSpan {
  since: string | undefined;
  until: string | undefined;
}

/** When events were received: a span up to now, or between two times in the reader's zone. */
export function TimePill({ span, onChange }: { span: TimeSpan; onChange(span: TimeSpan): void }) {
  const [isOpen, setOpen] = useState(false);
  const isOn = span.since !== undefined || span.until !== undefined;
  const choose = (chosen: TimeSpan) => {
    onChange(chosen);
    setOpen(false);
  };
  return (
    <span className={styles.pill} data-on={isOn}>
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger className={styles.trigger}>Received{isOn && `: ${spanText(span)}`}</Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={6} align="start" className={styles.positioner}>
            <Popover.Popup className={styles.popup} aria-label="Received">
              <ul className={styles.values}>
                {presets.map(([label, ms]) => (
                  <li key={label}>
                    <button
                      type="button"
                      onClick={() => choose({ since: new Date(Date.now() - ms).toISOString(), until: undefined })}
                    >
                      {label}
                    </button>
                  </li>
                ))}
              </ul>
              <form
                className={styles.times}
                onSubmit={submits((form) => {
                  const given = new FormData(form);
                  const time = (name: string) => fromLocalInput(String(given.get(name)));
                  choose({ since: time('since'), until: time('until') });
                })}
              >
                {(['since', 'until'] as const).map((name) => (
                  <Field
                    key={name}
                    label={name === 'since' ? 'Since' : 'Until'}
                    name={name}
                    type="datetime-local"
                    step="1"
                    defaultValue={toLocalInput(span[name], 19)}
                  />
                ))}
                <Button type="submit">Apply</Button>
              </form>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {isOn && (
        <button
          type="button"
          className={styles.remove}
          aria-label="Remove Received"
          onClick={() => choose({ since: undefined, until: undefined })}
        >
          ×
        </button>
      )}
    </span>
  );
}

const isTime = (text: string) => !Number.isNaN(Date.parse(text));
const shown = (text: string) => (isTime(text) ? localTime(new Date(text).toISOString()) : text);

function spanText({ since, until }: TimeSpan): string {
  if (since !== undefined && until !== undefined) return `${shown(since)} – ${shown(until)}`;
  return since === undefined ? `until ${shown(until ?? '')}` : `since ${shown(since)}`;
}

import { Fragment } from 'react';
import styles from './condition-editor.module.css';
import type { Owner } from './use-condition-preview.ts';

/** Names, as far as a webhook has them before its first attempt. */
const before = ['provider', 'event_type', 'account_slug', 'app_key'];
const after = ['delivery_failed', 'consumer', 'attempts', 'response_code'];

/** What is known only after attempts. */
const ofDestinations: [string, string][] = [
  ['delivery_failed', 'All attempts of the event have failed. Never true for an incident.'],
  ['response_code in [500, 503]', 'One of these values.'],
];

const rows: [string, string][] = [
  ['provider == "generic"', 'Two values are equal; with != they are not.'],
  ['event_type.startswith("order.")', 'Also .endswith and .contains, for texts.'],
  ['event_type in ["ping", "test"]', 'One of these values.'],
  ['payload.items[0].price > 100', 'A value of the JSON body; also <, <= and >=, for numbers.'],
  ['header["x-github-event"] == "push"', 'A header as it is stored, with secrets masked.'],
  ['exists(payload["odd-key"])', 'The path or header is there, whatever its value is.'],
  ['matches(payload.ref, "^refs/heads/")', 'A regular expression of RE2 is found in the text.'],
  ['not … and … or …', 'From the strongest to the weakest; parentheses go first.'],
];

/** The language of conditions in a few lines. */
export function ConditionHelp({ of }: { of: Owner }) {
  const isOfDestination = of === 'destination';
  const names = isOfDestination ? [...before, ...after] : before;
  return (
    <details>
      <summary>How to write a condition</summary>
      <dl className={styles.help}>
        {[...(isOfDestination ? ofDestinations : []), ...rows].map(([code, meaning]) => (
          <div key={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className={`aside ${styles.more}`}>
        Names:{' '}
        {names.map((name) => (
          <Fragment key={name}>
            <code>{name}</code>,{' '}
          </Fragment>
        ))}
        <code>payload</code>, <code>header</code>. Texts stand in quotes and are compared with their case.{' '}
        <kbd>Ctrl</kbd> <kbd>Space</kbd> shows what can be written; <kbd>Tab</kbd> leaves the editor. More is in{' '}
        <code>docs/notifications.md</code>.
      </p>
    </details>
  );
}

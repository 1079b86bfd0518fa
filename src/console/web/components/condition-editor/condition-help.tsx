import styles from './condition-editor.module.css';

const rows: [string, string][] = [
  ['delivery_failed', 'All attempts of the event have failed. Notifications are sent only then.'],
  ['provider == "generic"', 'Two values are equal; with != they are not.'],
  ['event_type.startswith("order.")', 'Also .endswith and .contains, for texts.'],
  ['response_code in [500, 503]', 'One of these values.'],
  ['payload.items[0].price > 100', 'A value of the JSON body; also <, <= and >=, for numbers.'],
  ['header["x-github-event"] == "push"', 'A header as it is stored, with secrets masked.'],
  ['exists(payload["odd-key"])', 'The path or header is there, whatever its value is.'],
  ['matches(payload.ref, "^refs/heads/")', 'A regular expression of RE2 is found in the text.'],
  ['not … and … or …', 'From the strongest to the weakest; parentheses go first.'],
];

/** The language of conditions in a few lines. */
export function ConditionHelp() {
  return (
    <details>
      <summary>How to write a condition</summary>
      <dl className={styles.help}>
        {rows.map(([code, meaning]) => (
          <div key={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className={`aside ${styles.more}`}>
        Names: <code>delivery_failed</code>, <code>provider</code>, <code>event_type</code>, <code>account_slug</code>,{' '}
        <code>app_key</code>, <code>attempts</code>, <code>response_code</code>, <code>payload</code>,{' '}
        <code>header</code>. Texts stand in quotes and are compared with their case. <kbd>Ctrl</kbd> <kbd>Space</kbd>{' '}
        shows what can be written; <kbd>Tab</kbd> leaves the editor. More is in <code>docs/notifications.md</code>.
      </p>
    </details>
  );
}

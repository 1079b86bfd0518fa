import { useRef, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { rowId } from '../../../components/use-row-focus.ts';
import { UrlWarnings } from '../account/url-warnings.tsx';
import { BackfillForm } from './backfill-form.tsx';
import { ConsumerForm } from './consumer-form.tsx';
import { ConsumerFacts, ConsumerHead } from './consumer-summary.tsx';
import { type Consumer, defaultName } from './consumer-types.ts';
import styles from './consumers.module.css';
import { DeleteConsumer } from './delete-consumer.tsx';
import { PauseConsumer } from './pause-buttons.tsx';

/** A consumer with what can be done to it. */
export function ConsumerRow({ account, consumer }: { account: Account; consumer: Consumer }) {
  const { id, name, url, enabled } = consumer;
  const [opened, setOpened] = useState<'edit' | 'backfill' | null>(null);
  const [mayOperate, mayAdmin] = [useMay('operate'), useMay('admin')];
  const buttons = { edit: useRef<HTMLButtonElement>(null), backfill: useRef<HTMLButtonElement>(null) };
  const toggle = (form: 'edit' | 'backfill') => setOpened(opened === form ? null : form);
  const close = () => {
    setOpened(null);
    if (opened) buttons[opened].current?.focus();
  };
  return (
    <li id={rowId(id)} className={styles.row} tabIndex={-1} aria-label={name}>
      <div className="spread">
        <ConsumerHead consumer={consumer} />
        <div className="buttons">
          {mayOperate && <PauseConsumer accountId={account.id} consumer={consumer} />}
          {mayOperate && (
            <Button
              ref={buttons.backfill}
              aria-label={`Backfill ${name}`}
              aria-expanded={opened === 'backfill'}
              disabled={!enabled || !account.enabled || url === null}
              onClick={() => toggle('backfill')}
            >
              Backfill
            </Button>
          )}
          {mayAdmin && (
            <Button
              ref={buttons.edit}
              aria-label={`Edit ${name}`}
              aria-expanded={opened === 'edit'}
              onClick={() => toggle('edit')}
            >
              Edit
            </Button>
          )}
          {mayAdmin && name !== defaultName && <DeleteConsumer accountId={account.id} consumer={consumer} />}
        </div>
      </div>
      <UrlWarnings of={consumer}>Deliveries to it are refused.</UrlWarnings>
      <ConsumerFacts account={account} consumer={consumer} />
      {opened === 'edit' && <ConsumerForm accountId={account.id} stored={consumer} onDone={close} />}
      {opened === 'backfill' && <BackfillForm accountId={account.id} consumer={consumer} onDone={close} />}
    </li>
  );
}

import { useRef, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { useRowFocus } from '../../../components/use-row-focus.ts';
import { BulkJobs } from '../../events/bulk/bulk-jobs.tsx';
import { ConsumerForm } from './consumer-form.tsx';
import { ConsumerRow } from './consumer-row.tsx';
import type { Consumer } from './consumer-types.ts';
import styles from './consumers.module.css';
import { PauseAccount } from './pause-buttons.tsx';
import { useConsumers } from './use-consumers.ts';

/** The consumers of an account: where its webhooks go, and which of them each one gets. */
export function ConsumersPanel({ account }: { account: Account }) {
  const { id } = account;
  const { data, error, refetch } = useConsumers(id);
  const [isAdding, setIsAdding] = useState(false);
  const [mayOperate, mayAdmin] = [useMay('operate'), useMay('admin')];
  const add = useRef<HTMLButtonElement>(null);
  const focusRow = useRowFocus(data, add);
  const close = (saved: Consumer | null) => {
    setIsAdding(false);
    if (saved) focusRow(saved.id);
    else add.current?.focus();
  };
  return (
    <Panel
      title="Consumers"
      actions={
        <>
          {mayOperate && account.paused === null && <PauseAccount accountId={id} />}
          {mayAdmin && (
            <Button ref={add} aria-expanded={isAdding} onClick={() => setIsAdding(!isAdding)}>
              Add consumer
            </Button>
          )}
        </>
      }
    >
      <p className="aside">
        Each webhook becomes an event of every consumer that is enabled and whose condition holds. An event has attempts
        and a state of its own.
      </p>
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data && (
        <ul className={styles.list} aria-label="Consumers">
          {data.map((consumer) => (
            <ConsumerRow key={consumer.id} account={account} consumer={consumer} />
          ))}
        </ul>
      )}
      {isAdding && <ConsumerForm accountId={id} stored={null} onDone={close} />}
      <div className={styles.jobs}>
        <BulkJobs mayStop={mayOperate} ofAccount={id} />
      </div>
    </Panel>
  );
}

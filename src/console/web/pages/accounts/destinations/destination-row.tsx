import { useRef, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { announce } from '../../../components/announce.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { rowId } from '../../../components/use-row-focus.ts';
import { UrlWarnings } from '../account/url-warnings.tsx';
import { DeleteDestination } from './delete-destination.tsx';
import { DestinationForm } from './destination-form.tsx';
import { kindsText } from './destination-kinds.ts';
import { type Destination, extraOf, targetOf, typeNames } from './destination-types.ts';
import styles from './destinations.module.css';
import { OrderButtons } from './order-buttons.tsx';
import { TestResult } from './test-result.tsx';
import { useSaveDestination } from './use-destinations.ts';
import { useTestMessage } from './use-test-message.ts';

/** A destination with what can be done to it. */
export function DestinationRow(props: {
  accountId: string;
  destination: Destination;
  isFirst: boolean;
  isLast: boolean;
  onMove(by: 1 | -1): void;
}) {
  const { accountId, destination, isFirst, isLast } = props;
  const { id, name, enabled } = destination;
  const [isOpen, setIsOpen] = useState(false);
  const [mayOperate, mayAdmin] = [useMay('operate'), useMay('admin')];
  const edit = useRef<HTMLButtonElement>(null);
  const test = useTestMessage(accountId, destination);
  const save = useSaveDestination(accountId);
  const turn = () =>
    save.mutate(
      { id, change: { enabled: !enabled } },
      {
        onSuccess: () => announce(`${name} is ${enabled ? 'off' : 'on'}.`, 'good'),
        onError: (problem) => announce(problem.message, 'bad'),
      },
    );
  return (
    <li id={rowId(id)} className={styles.row} tabIndex={-1} aria-label={name}>
      <div className={styles.line}>
        {mayAdmin && !(isFirst && isLast) && (
          <OrderButtons name={name} isFirst={isFirst} isLast={isLast} onMove={props.onMove} />
        )}
        <Summary destination={destination} />
        <div className={`buttons ${styles.actions}`}>
          {mayOperate && (
            <Button blocked={test.isPending} onClick={() => test.mutate()}>
              {test.isPending ? 'Sending …' : 'Send a test'}
            </Button>
          )}
          {mayAdmin && (
            <>
              <Button blocked={save.isPending} onClick={turn}>
                {enabled ? 'Turn off' : 'Turn on'}
              </Button>
              <Button ref={edit} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
                Edit
              </Button>
              <DeleteDestination accountId={accountId} destination={destination} />
            </>
          )}
        </div>
      </div>
      <UrlWarnings of={destination}>Messages to it are refused.</UrlWarnings>
      {test.error && <ProblemNotice error={test.error} retry={() => test.mutate()} />}
      {test.data && !test.isPending && <TestResult result={test.data} onClose={() => test.reset()} />}
      {isOpen && (
        <DestinationForm
          accountId={accountId}
          stored={destination}
          onDone={() => {
            setIsOpen(false);
            edit.current?.focus();
          }}
        />
      )}
    </li>
  );
}

function Summary({ destination }: { destination: Destination }) {
  const { name, enabled, destination_type, kinds, condition } = destination;
  const extra = extraOf(destination);
  const tellsIncidents = kinds.some((kind) => kind !== 'delivery.failed');
  return (
    <div className={styles.summary}>
      <div className="line">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <Badge state={enabled ? 'on' : 'off'} />
        <span className="aside">
          {typeNames[destination_type]}
          {extra && ` · ${extra}`}
        </span>
      </div>
      <p className={styles.target}>
        <bdi>{targetOf(destination)}</bdi>
      </p>
      {tellsIncidents && (
        <p className={styles.condition}>
          <span className="aside">for</span> {kindsText(destination)}
        </p>
      )}
      {(condition !== null || !tellsIncidents) && (
        <p className={styles.condition}>
          <span className="aside">when</span> <code>{condition ?? 'delivery_failed'}</code>
          {condition === null && <span className="aside"> (default)</span>}
        </p>
      )}
    </div>
  );
}

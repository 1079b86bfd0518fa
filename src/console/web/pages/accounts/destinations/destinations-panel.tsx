import { useRef, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { Empty, ProblemNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { useRowFocus } from '../../../components/use-row-focus.ts';
import { DestinationForm } from './destination-form.tsx';
import { DestinationRow } from './destination-row.tsx';
import type { Destination } from './destination-types.ts';
import styles from './destinations.module.css';
import { moved } from './order.ts';
import { useDestinations, useMoveDestination } from './use-destinations.ts';

/** The destinations of an account: where messages go about exhausted events and incidents. */
export function DestinationsPanel({ accountId }: { accountId: string }) {
  const { data, error, refetch } = useDestinations(accountId);
  const [isAdding, setIsAdding] = useState(false);
  const mayAdmin = useMay('admin');
  const add = useRef<HTMLButtonElement>(null);
  const focusRow = useRowFocus(data, add);
  const close = (saved: Destination | null) => {
    setIsAdding(false);
    if (saved) focusRow(saved.id);
    else add.current?.focus();
  };
  return (
    <Panel
      title="Destinations"
      actions={
        mayAdmin && (
          <Button ref={add} aria-expanded={isAdding} onClick={() => setIsAdding(!isAdding)}>
            Add destination
          </Button>
        )
      }
    >
      <p className="aside">
        Each destination that is on gets a message when all attempts of an event have failed, or an incident opens or is
        resolved, as it is set up, and its condition matches.
      </p>
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data && <List accountId={accountId} destinations={data} />}
      {data?.length === 0 && !isAdding && (
        <Empty title="No destinations yet">
          <p>
            {mayAdmin
              ? 'Add one to learn of failed events and incidents by chat, e-mail or a webhook.'
              : 'A user with the role admin can add one.'}
          </p>
        </Empty>
      )}
      {isAdding && <DestinationForm accountId={accountId} stored={null} onDone={close} />}
    </Panel>
  );
}

function List({ accountId, destinations }: { accountId: string; destinations: Destination[] }) {
  const move = useMoveDestination(accountId);
  const moveBy = ({ id, name }: Destination, by: 1 | -1) => {
    const ordered = moved(destinations, id, by);
    if (!ordered) return;
    move.mutate(ordered);
    announce(`${name} is number ${ordered.findIndex((one) => one.id === id) + 1} of ${ordered.length}.`);
  };
  if (destinations.length === 0) return null;
  return (
    <ol className={styles.list}>
      {destinations.map((destination, index) => (
        <DestinationRow
          key={destination.id}
          accountId={accountId}
          destination={destination}
          isFirst={index === 0}
          isLast={index === destinations.length - 1}
          onMove={(by) => moveBy(destination, by)}
        />
      ))}
    </ol>
  );
}

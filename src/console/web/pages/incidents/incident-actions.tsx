import { useState } from 'react';
import type { Incident } from '../../api/incidents.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Field } from '../../components/field.tsx';
import { useIncidentChange } from './use-incident-change.ts';

/** What a person says of an incident: that they know of it, that it is over, or that it is not. */
export function IncidentActions({ incident }: { incident: Incident }) {
  const { id, state, resolved_by } = incident;
  const [isClosing, setIsClosing] = useState(false);
  const [note, setNote] = useState('');
  const close = () => {
    setIsClosing(false);
    setNote('');
  };
  const change = useIncidentChange(id, close);
  const isClosed = state === 'resolved' && resolved_by !== null;
  if (!useMay('operate')) return null;
  return (
    <>
      {state === 'open' && (
        <Button blocked={change.isPending} onClick={() => change.mutate({ state: 'acknowledged' })}>
          Acknowledge
        </Button>
      )}
      {isClosed ? (
        <Button blocked={change.isPending} onClick={() => change.mutate({ state: 'open' })}>
          Open again
        </Button>
      ) : (
        <Button blocked={change.isPending} onClick={() => setIsClosing(true)}>
          Close …
        </Button>
      )}
      <ConfirmDialog
        open={isClosing}
        title="Close this incident?"
        confirm="Close the incident"
        busy={change.isPending}
        onConfirm={() => change.mutate({ state: 'resolved', note })}
        onClose={close}
      >
        <p>
          It leaves the overview. Its events stay as they are: what waits is retried, and what is exhausted can still be
          replayed. If the same happens again, an incident opens.
        </p>
        <Field
          label="Note"
          hint="Optional; what was wrong, and what you did. Stays with the incident."
          value={note}
          maxLength={2000}
          onChange={setNote}
        />
      </ConfirmDialog>
    </>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Incident, incidentsKey } from '../../api/incidents.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/field.tsx';
import { PauseDialog } from '../accounts/consumers/pause-dialog.tsx';
import {
  usePauseAccount,
  usePauseConsumer,
  useResumeAccount,
  useResumeConsumer,
} from '../accounts/consumers/use-pauses.ts';
import { subjectOf } from './incident-words.ts';

/** The consumer of an incident. */
export interface Failing {
  incident: Incident;
  accountId: string;
  consumer: string;
}

/** Pauses deliveries to the consumer that fails, or to all of its account, and resumes them. */
export function PauseIncident({ incident, accountId, consumer }: Failing) {
  const [isOpen, setIsOpen] = useState(false);
  const [scope, setScope] = useState<string>('consumer');
  const client = useQueryClient();
  const changed = () => void client.invalidateQueries({ queryKey: incidentsKey });
  const close = () => setIsOpen(false);
  const done = () => {
    close();
    changed();
  };
  const pause = {
    consumer: usePauseConsumer(accountId, consumer, done),
    account: usePauseAccount(accountId, done),
  };
  const resume = { consumer: useResumeConsumer(accountId, consumer), account: useResumeAccount(accountId) };
  const subject = subjectOf(incident) ?? '';
  const { paused } = incident;
  return (
    <>
      {paused ? (
        <Button
          aria-label={`Resume ${subject}`}
          blocked={resume[paused.by].isPending}
          onClick={() => resume[paused.by].mutate(undefined, { onSuccess: changed })}
        >
          {paused.by === 'account' ? 'Resume all' : 'Resume'}
        </Button>
      ) : (
        <Button aria-label={`Pause ${subject}`} onClick={() => setIsOpen(true)}>
          Pause
        </Button>
      )}
      <PauseDialog
        title={`Pause deliveries to ${subject}?`}
        open={isOpen}
        pause={scope === 'account' ? pause.account : pause.consumer}
        onClose={close}
      >
        <Choice
          label="Pause"
          options={[
            ['consumer', `only the consumer ${consumer}`],
            ['account', `all consumers of ${incident.provider}/${incident.account_slug}`],
          ]}
          value={scope}
          onChange={setScope}
        />
      </PauseDialog>
    </>
  );
}

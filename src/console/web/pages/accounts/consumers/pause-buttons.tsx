import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { passFocusOn } from '../../../components/pass-focus-on.ts';
import type { Consumer } from './consumer-types.ts';
import { PauseDialog } from './pause-dialog.tsx';
import { usePauseAccount, usePauseConsumer, useResumeConsumer } from './use-pauses.ts';

/** A button that pauses deliveries to a consumer after a confirmation, or resumes them at once. */
export function PauseConsumer({ accountId, consumer }: { accountId: string; consumer: Consumer }) {
  const { name, paused } = consumer;
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const pause = usePauseConsumer(accountId, name, close);
  const resume = useResumeConsumer(accountId, name);
  return (
    <>
      <Button
        aria-label={`${paused ? 'Resume' : 'Pause'} ${name}`}
        blocked={resume.isPending}
        onClick={() => (paused ? resume.mutate() : setIsOpen(true))}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <PauseDialog title={`Pause deliveries to ${name}?`} open={isOpen} pause={pause} onClose={close} />
    </>
  );
}

/** A button that pauses deliveries to all consumers of an account after a confirmation. */
export function PauseAccount({ accountId }: { accountId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const pause = usePauseAccount(accountId, close);
  return (
    <>
      <Button ref={passFocusOn} onClick={() => setIsOpen(true)}>
        Pause all
      </Button>
      <PauseDialog title="Pause deliveries to all consumers?" open={isOpen} pause={pause} onClose={close} />
    </>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api } from '../../api/client.ts';
import { announce } from '../../components/announce.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Field } from '../../components/field.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import type { Statistics } from './audit-types.ts';

const dayMs = 86_400_000;
/** The most that the API takes. Times of many more days ago are no times for `Date`. */
const mostDays = 36_500;

/** Deletes old entries after a confirmation. */
export function PurgeButton({ statistics }: { statistics: Statistics | undefined }) {
  const [isOpen, setIsOpen] = useState(false);
  const [days, setDays] = useState('90');
  const client = useQueryClient();
  const purge = useMutation({
    mutationFn: () => answer(api['audit-logs'].delete({}, { query: { older_than_days: Number(days) } })),
    onSuccess: ({ deleted }) => {
      setIsOpen(false);
      announce(`${numberText(deleted)} entries were deleted.`, 'good');
      void client.invalidateQueries({ queryKey: ['audit-log'] });
      void client.invalidateQueries({ queryKey: ['audit-stats'] });
    },
    onError(problem) {
      if (!isOpen) announce(problem.message, 'bad');
    },
  });
  // A purge may take minutes, so its dialog can be closed before its end.
  const close = () => {
    setIsOpen(false);
    if (purge.isPending) announce('The purge goes on. This page says when it ends.');
    else purge.reset();
  };
  const about = statistics && Number(days) <= mostDays ? olderThan(statistics, Number(days)) : undefined;
  return (
    <>
      <Button tone="danger" onClick={() => setIsOpen(true)}>
        Purge
      </Button>
      <ConfirmDialog
        open={isOpen}
        title="Purge the audit log"
        confirm={purge.isPending ? 'Purging …' : 'Delete entries'}
        tone="danger"
        canConfirm={!purge.isPending}
        onConfirm={() => purge.mutate()}
        onClose={close}
      >
        <p>
          Deletes old entries for good. The rest can still be verified, and the log records the purge. The gateway also
          purges by itself, every night, as <code>AUDIT_RETENTION_DAYS</code> says.
        </p>
        <Field
          label="Delete entries older than (days)"
          type="number"
          required
          min={7}
          max={mostDays}
          value={days}
          hint={about === undefined ? 'At least 7 days.' : `About ${numberText(about)} entries. At least 7 days.`}
          onChange={setDays}
        />
        {purge.error && <ProblemNotice error={purge.error} />}
      </ConfirmDialog>
    </>
  );
}

/** How many entries are older, by whole days. */
function olderThan({ by_day }: Statistics, days: number): number {
  const limit = new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
  return Object.entries(by_day).reduce((sum, [day, count]) => (day < limit ? sum + count : sum), 0);
}

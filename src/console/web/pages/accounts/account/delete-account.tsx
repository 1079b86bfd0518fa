import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answer, api } from '../../../api/client.ts';
import type { Account } from '../../../api/types.ts';
import { announce } from '../../../components/announce.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Field } from '../../../components/field.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { accountsKey } from '../data/queries.ts';

/** Asks before an account is deleted, and has the user type its slug. */
export function DeleteAccount({ account, open, onClose }: { account: Account; open: boolean; onClose(): void }) {
  const { id, account_slug } = account;
  const [typed, setTyped] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => answer(api.accounts({ account_id: id }).delete()),
    async onSuccess() {
      announce(`The account ${account_slug} was deleted.`, 'good');
      await navigate({ to: '/accounts' });
      await client.invalidateQueries({ queryKey: accountsKey });
    },
  });
  return (
    <ConfirmDialog
      open={open}
      title={`Delete ${account_slug}?`}
      confirm="Delete"
      tone="danger"
      busy={remove.isPending}
      canConfirm={typed === account_slug}
      onClose={() => {
        remove.reset();
        setTyped('');
        onClose();
      }}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Webhooks to its address are refused with 404. Events that wait for delivery fail, and none of its events can be
        replayed. Its events stay readable. A new account can use the slug.
      </p>
      <Field label={`Type ${account_slug} to confirm`} value={typed} onChange={setTyped} />
      {remove.error && <ProblemNotice error={remove.error} />}
    </ConfirmDialog>
  );
}

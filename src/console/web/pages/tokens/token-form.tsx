import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { accountsQuery } from '../../api/accounts.ts';
import { ApiProblem } from '../../api/problem.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { submits } from '../../components/submits.ts';
import { emptyDraft, lives, newTokenOf, roles, scopes, type TokenDraft } from './token-draft.ts';
import styles from './tokens.module.css';
import { type CreatedToken, useCreateToken } from './use-tokens.ts';

/** Where errors of the API are shown at a field. */
const fields = ['name', 'app_key', 'account_id', 'role'] as const;

/** Asks for name, role, scope and end of a new token. @param onDone called with the token, or null when the user cancels */
export function TokenForm({ onDone }: { onDone(created: CreatedToken | null): void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const change = (part: Partial<TokenDraft>) => setDraft((before) => ({ ...before, ...part }));
  const form = useRef<HTMLFormElement>(null);
  const create = useCreateToken();
  const { data: accounts = [] } = useQuery(accountsQuery);
  useEffect(() => form.current?.querySelector<HTMLElement>('input')?.focus(), []);
  const submit = () => create.mutate(newTokenOf(draft, Date.now()), { onSuccess: onDone });
  const errors = create.error instanceof ApiProblem ? create.error.errors : [];
  const errorOf = (path: (typeof fields)[number]) => errors.find((error) => error.path === path)?.message;
  const hasPlace = errors.length > 0 && errors.every(({ path }) => fields.some((field) => field === path));
  const offered = draft.scope === 'all' ? roles : roles.filter(([role]) => role !== 'admin');
  return (
    <form ref={form} className={`stack inset ${styles.form}`} aria-label="New token" onSubmit={submits(() => submit())}>
      <Field
        label="Name"
        required
        maxLength={100}
        pattern="[A-Za-z0-9_.@\-]+"
        hint="The audit log shows it: letters, digits, _ . @ and -"
        error={errorOf('name')}
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      <Choice
        label="Sees"
        options={scopes}
        value={draft.scope}
        onChange={(scope) => change({ scope, role: scope === 'all' || draft.role !== 'admin' ? draft.role : 'read' })}
      />
      {draft.scope === 'app_key' && (
        <Field
          label="App key"
          required
          maxLength={500}
          choices={[...new Set(accounts.map(({ app_key }) => app_key))].sort()}
          error={errorOf('app_key')}
          value={draft.appKey}
          onChange={(appKey) => change({ appKey })}
        />
      )}
      {draft.scope === 'account' && (
        <Choice
          label="Account"
          required
          options={[['', 'Choose an account'], ...accounts.map(accountOption)]}
          error={errorOf('account_id')}
          value={draft.accountId}
          onChange={(accountId) => change({ accountId })}
        />
      )}
      <Choice
        label="Role"
        options={offered}
        error={errorOf('role')}
        value={draft.role}
        onChange={(role) => change({ role })}
      />
      <Choice label="Ends after" options={lives} value={draft.life} onChange={(life) => change({ life })} />
      {create.error && !hasPlace && <ProblemNotice error={create.error} />}
      <div className="buttons">
        <Button tone="main" type="submit" blocked={create.isPending}>
          {create.isPending ? 'Creating …' : 'Create token'}
        </Button>
        <Button onClick={() => onDone(null)}>Cancel</Button>
      </div>
    </form>
  );
}

const accountOption = (account: { id: string; provider: string; account_slug: string }) =>
  [account.id, `${account.provider}/${account.account_slug}`] as const;

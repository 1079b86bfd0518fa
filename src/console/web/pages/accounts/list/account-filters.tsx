import { useNavigate, useSearch } from '@tanstack/react-router';
import { Choice, Field } from '../../../components/field.tsx';
import type { AccountSummary } from './account-summary.ts';
import styles from './list.module.css';

/** The values of a field among the accounts, and the chosen one even if no account has it. */
const valuesOf = (accounts: readonly AccountSummary[], field: 'provider' | 'app_key', chosen: string | undefined) =>
  [...new Set([...accounts.map((account) => account[field]), ...(chosen === undefined ? [] : [chosen])])].sort();

/** The filters of the list of accounts. */
export function AccountFilters({ accounts }: { accounts: readonly AccountSummary[] }) {
  const navigate = useNavigate();
  const search = useSearch({ strict: false });
  const set = (name: string, value: string) =>
    void navigate({ to: '/accounts', search: { ...search, [name]: value === '' ? undefined : value }, replace: true });
  return (
    <search className={styles.filters}>
      <Field
        label="Slug"
        type="search"
        placeholder="Search"
        value={search.q ?? ''}
        onChange={({ target }) => set('q', target.value)}
      />
      {(['provider', 'app_key'] as const).map((name) => (
        <Choice
          key={name}
          label={name === 'provider' ? 'Provider' : 'App key'}
          value={search[name] ?? ''}
          onChange={({ target }) => set(name, target.value)}
        >
          <option value="">All</option>
          {valuesOf(accounts, name, search[name]).map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </Choice>
      ))}
    </search>
  );
}

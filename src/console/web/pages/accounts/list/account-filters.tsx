import { Choice, Field } from '../../../components/field.tsx';
import { useAddressText } from '../../../components/use-address-text.ts';
import { useFilters } from '../../../components/use-filters.ts';
import type { AccountSummary } from './account-summary.ts';
import styles from './list.module.css';

/** The values of a field among the accounts, and the chosen one even if no account has it. */
const valuesOf = (accounts: readonly AccountSummary[], field: 'provider' | 'app_key', chosen: string | undefined) =>
  [...new Set([...accounts.map((account) => account[field]), ...(chosen === undefined ? [] : [chosen])])].sort();

/** The filters of the list of accounts. */
export function AccountFilters({ accounts }: { accounts: readonly AccountSummary[] }) {
  const [search, change] = useFilters();
  const slug = useAddressText(search.q ?? '', (q) => change({ q }));
  return (
    <search className={styles.filters}>
      <Field label="Slug" type="search" placeholder="Search" {...slug} />
      {(['provider', 'app_key'] as const).map((name) => (
        <Choice
          key={name}
          label={name === 'provider' ? 'Provider' : 'App key'}
          value={search[name] ?? ''}
          options={[['', 'All'], ...valuesOf(accounts, name, search[name]).map((value) => [value, value] as const)]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
    </search>
  );
}

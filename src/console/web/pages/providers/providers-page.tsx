import { useProviders } from '../../api/providers.ts';
import type { Provider } from '../../api/types.ts';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { counted } from '../../components/number-text.ts';
import { Page } from '../../components/page.tsx';
import { useFilters } from '../../components/use-filters.ts';
import { FilterField, hasWords } from '../settings/filter-field.tsx';
import { ProviderCard } from './provider-card.tsx';
import styles from './providers.module.css';

/** The providers that the gateway knows, each with what an account of it needs. */
export function ProvidersPage() {
  const { data, error, refetch } = useProviders();
  const [{ q = '' }, change] = useFilters();
  const shown = data?.filter((provider) => contains(provider, q));
  return (
    <Page title="Providers">
      <p className="intro">
        Webhooks of these providers are verified by their own rules. Create an account with the secret, then enter its
        address at the provider, with the slug of the account in place of <code>{'{account_slug}'}</code>. The
        documentation is in the repository of the gateway.
      </p>
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data && shown && (
        <>
          <div className={styles.filters}>
            <FilterField
              label="Search providers"
              placeholder="Search providers"
              value={q}
              onChange={(text) => change({ q: text })}
            />
            <span className="aside" role="status" aria-live="polite">
              {shown.length === data.length
                ? counted(data.length, 'provider')
                : `${shown.length} of ${counted(data.length, 'provider')}`}
            </span>
          </div>
          {shown.length === 0 ? (
            <Empty title="No provider matches">
              <p>
                A sender that is not listed can use <code>generic</code>, <code>hmac</code> or <code>standard</code>.
              </p>
            </Empty>
          ) : (
            <ul className={`cards ${styles.list}`}>
              {shown.map((provider) => (
                <ProviderCard key={provider.name} provider={provider} />
              ))}
            </ul>
          )}
        </>
      )}
    </Page>
  );
}

function contains({ name, title, verification, secret }: Provider, text: string): boolean {
  return hasWords(`${name} ${title} ${secret.label} ${verification}`, text);
}

import type { Provider } from '../../../api/types.ts';
import { Panel } from '../../../components/page.tsx';
import { ToCopy } from '../../../components/to-copy.tsx';
import { ingestionAddress } from '../data/queries.ts';
import fieldStyles from '../fields/fields.module.css';
import { TextField } from '../fields/text-field.tsx';
import type { Draft } from './defaults.ts';

/** The names of a new account, and the ingestion address that follows from them. */
export function NameStep(props: {
  provider: Provider;
  draft: Draft;
  /** The app keys of other accounts, to choose from. */
  appKeys: readonly string[];
  errors: ReadonlyMap<string, string>;
  onChange(change: Partial<Draft>): void;
}) {
  const { provider, draft, appKeys, errors, onChange } = props;
  return (
    <Panel title="1. Name the account">
      <div className="stack">
        <div className={fieldStyles.pair}>
          <TextField
            label="Slug"
            hint="The last part of the ingestion address."
            error={errors.get('account_slug')}
            required
            maxLength={100}
            value={draft.slug}
            onChange={(slug) => onChange({ slug })}
          />
          <TextField
            label="App key"
            hint="Groups the accounts of one application."
            error={errors.get('app_key')}
            required
            maxLength={50}
            list="app-keys"
            value={draft.appKey}
            onChange={(appKey) => onChange({ appKey })}
          />
          <datalist id="app-keys">
            {[...new Set(appKeys)].map((key) => (
              <option key={key} value={key} />
            ))}
          </datalist>
        </div>
        <ToCopy label="Ingestion address" text={ingestionAddress(provider, draft.slug)} />
      </div>
    </Panel>
  );
}

import { ingestionAddress } from '../../../api/providers.ts';
import type { Provider } from '../../../api/types.ts';
import { Field } from '../../../components/field.tsx';
import { Panel } from '../../../components/page.tsx';
import { ToCopy } from '../../../components/to-copy.tsx';
import fieldStyles from '../fields/fields.module.css';
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
          <Field
            label="Slug"
            hint="The last part of the ingestion address."
            error={errors.get('account_slug')}
            required
            maxLength={100}
            value={draft.slug}
            onChange={(slug) => onChange({ slug })}
          />
          <Field
            label="App key"
            hint="Groups the accounts of one application."
            error={errors.get('app_key')}
            required
            maxLength={50}
            choices={[...new Set(appKeys)]}
            value={draft.appKey}
            onChange={(appKey) => onChange({ appKey })}
          />
        </div>
        <ToCopy label="Ingestion address" text={ingestionAddress(provider, draft.slug)} />
      </div>
    </Panel>
  );
}

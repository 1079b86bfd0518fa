import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import type { Provider } from '../../api/types.ts';
import { buttonClass } from '../../components/button.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { Facts } from '../../components/page.tsx';
import { ToCopy } from '../../components/to-copy.tsx';
import { type ConfigField, configFields } from '../accounts/fields/config-schema.ts';
import styles from './providers.module.css';

/** A provider with what an account of it needs. */
export function ProviderCard({ provider }: { provider: Provider }) {
  const { name, title, verification, secret, ingestion_url, handshake, documentation } = provider;
  const mayAdmin = useMay('admin');
  const fields = configFields(provider.config);
  return (
    <li className="panel card" aria-labelledby={`provider-${name}`}>
      <div className={styles.head}>
        <div className={styles.title}>
          <h2 id={`provider-${name}`}>{title}</h2>
          <code className="aside">{name}</code>
        </div>
        {mayAdmin && (
          <Link to="/accounts" search={{ new: name }} className={buttonClass()} aria-label={`New account: ${title}`}>
            New account
          </Link>
        )}
      </div>
      <Facts
        className={styles.facts}
        rows={{
          'Verified by': verification,
          [secret.label]: <MarkedText text={secret.hint} />,
          Address: <ToCopy text={ingestion_url} />,
          Handshake: handshake ? 'The address answers the check of the provider by itself.' : null,
          Documentation: <code>{documentation}</code>,
        }}
      />
      {fields.length > 0 && <ConfigFields fields={fields} />}
    </li>
  );
}

function ConfigFields({ fields }: { fields: ConfigField[] }) {
  return (
    <details className={styles.config}>
      <summary>
        {fields.length === 1 ? '1 setting' : `${fields.length} settings`} in <code>provider_config</code>
      </summary>
      <dl>
        {fields.map(({ name, required, description, allowed, fallback }) => (
          <div key={name}>
            <dt>
              <code>{name}</code> <span className="aside">{required ? 'required' : allowed}</span>
            </dt>
            <dd>
              <MarkedText text={description} />
              {fallback !== '' && (
                <span className="aside">
                  {' '}
                  Default: <code>{fallback}</code>
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

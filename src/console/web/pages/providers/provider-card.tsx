import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../api/session.ts';
import type { Provider } from '../../api/types.ts';
import { buttonClass } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { MarkedText } from '../settings/marked-text.tsx';
import { type ConfigField, configFieldsOf } from './config-fields.ts';
import styles from './providers.module.css';

/** A provider with what an account of it needs. */
export function ProviderCard({ provider }: { provider: Provider }) {
  const { name, title, verification, secret, ingestion_url, handshake, documentation } = provider;
  const mayAdmin = useMay('admin');
  const fields = configFieldsOf(provider.config);
  return (
    <li className={styles.card} aria-labelledby={`provider-${name}`}>
      <div className={styles.head}>
        <div className={styles.title}>
          <h2 id={`provider-${name}`}>{title}</h2>
          <code className={styles.aside}>{name}</code>
        </div>
        {mayAdmin && (
          <Link to="/accounts" search={{ new: name }} className={buttonClass()} aria-label={`New account: ${title}`}>
            New account
          </Link>
        )}
      </div>
      <dl className={styles.facts}>
        <Fact name="Verified by">{verification}</Fact>
        <Fact name={secret.label}>
          <MarkedText text={secret.hint} />
        </Fact>
        <Fact name="Address">
          <span className={styles.address}>
            <code>{ingestion_url}</code>
            <CopyButton text={ingestion_url} />
          </span>
        </Fact>
        {handshake && <Fact name="Handshake">The address answers the check of the provider by itself.</Fact>}
        <Fact name="Documentation">
          <code>{documentation}</code>
        </Fact>
      </dl>
      {fields.length > 0 && <ConfigFields fields={fields} />}
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function ConfigFields({ fields }: { fields: ConfigField[] }) {
  return (
    <details className={styles.config}>
      <summary>
        {fields.length === 1 ? '1 setting' : `${fields.length} settings`} in <code>provider_config</code>
      </summary>
      <dl>
        {fields.map(({ name, isRequired, description, allowed, defaultText }) => (
          <div key={name}>
            <dt>
              <code>{name}</code> <span className={styles.aside}>{isRequired ? 'required' : allowed}</span>
            </dt>
            <dd>
              <MarkedText text={description} />
              {defaultText !== null && (
                <span className={styles.aside}>
                  {' '}
                  Default: <code>{defaultText}</code>
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

import { useState } from 'react';
import { Area, Choice, Field } from '../../../components/field.tsx';
import { SecretField } from '../fields/secret-field.tsx';
import styles from './consumers.module.css';
import { type AuthenticationType, type DeliveryDraft, hasDelivery } from './delivery-draft.ts';
import { errorUnder } from './error-under.ts';

interface Props {
  draft: DeliveryDraft;
  /** What is stored: its secret stays as long as nothing of the authentication is changed. */
  stored: DeliveryDraft;
  errors: ReadonlyMap<string, string>;
  change(part: Partial<DeliveryDraft>): void;
}

/** How the consumer is reached: headers, authentication, timeout and statuses. Open where something of it is set. */
export function DeliveryFields(props: Props) {
  const { draft, errors, change } = props;
  const [isOpen, setIsOpen] = useState(hasDelivery(draft));
  const hasError = ['headers', 'authentication', 'timeout', 'schedule', 'success', 'final'].some((field) =>
    errorUnder(errors, field),
  );
  return (
    <details open={isOpen || hasError} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>How it is reached: headers, authentication, statuses, schedule</summary>
      <div className={`${styles.columns} ${styles.reached}`}>
        <div className="stack">
          <Authentication {...props} />
          <Area
            label="Headers"
            hint="One in each line, up to 20. They are shown, so they are not for secrets."
            error={errorUnder(errors, 'headers')}
            rows={3}
            placeholder="x-team: billing"
            value={draft.headers}
            onChange={(headers) => change({ headers })}
          />
        </div>
        <div className="stack">
          <Field
            label="Statuses that deliver"
            hint="Such as 2xx, 200-204, 302, and exceptions such as !202. Empty: 2xx."
            error={errorUnder(errors, 'success')}
            placeholder="2xx"
            value={draft.success}
            onChange={(success) => change({ success })}
          />
          <Field
            label="Final statuses"
            hint="After one of them, the event fails at once and its destinations are notified. Empty: none."
            error={errorUnder(errors, 'final')}
            placeholder="410"
            value={draft.final}
            onChange={(final) => change({ final })}
          />
          <Field
            label="Delays between attempts"
            hint="Up to 20, so up to 21 attempts, for new events and replays. Empty: as for all consumers. “none”: one attempt."
            error={errorUnder(errors, 'schedule')}
            placeholder="10s, 1m, 10m, 1h"
            value={draft.schedule}
            onChange={(schedule) => change({ schedule })}
          />
          <Field
            label="Timeout"
            hint="1s to 60s. Empty: as for all consumers."
            error={errors.get('timeout')}
            placeholder="15s"
            value={draft.timeout}
            onChange={(timeout) => change({ timeout })}
          />
        </div>
      </div>
    </details>
  );
}

const types: readonly (readonly [AuthenticationType, string])[] = [
  ['none', 'None, or user and password of the URL'],
  ['basic', 'User and password (Basic)'],
  ['bearer', 'Bearer token'],
  ['header', 'Header with a secret'],
];
const unreadable = ['unreadable', 'Cannot be read with the present SECRETS_KEY'] as const;

const isType = (given: string): given is AuthenticationType =>
  given === unreadable[0] || types.some(([type]) => type === given);

function Authentication({ draft, stored, errors, change }: Props) {
  const { authentication: type, user, credential } = draft;
  const isStored = stored.authentication === type && stored.user === user;
  const keeps = isStored ? 'Set; leave empty to keep it' : '';
  const error = (field: string) => errors.get(`authentication.${field}`);
  const secret = (label: string, field: string) => (
    <SecretField
      label={label}
      error={error(field)}
      placeholder={keeps}
      value={credential}
      onChange={(given) => change({ credential: given })}
    />
  );
  return (
    <>
      <Choice
        label="Authentication"
        hint="Of each delivery. Its secret is encrypted and not shown again."
        error={errors.get('authentication') ?? error('type')}
        options={stored.authentication === 'unreadable' ? [...types, unreadable] : types}
        value={type}
        onChange={(given) => isType(given) && change({ authentication: given, user: '', credential: '' })}
      />
      {(type === 'basic' || type === 'header') && (
        <Field
          label={type === 'basic' ? 'User' : 'Name of the header'}
          error={error(type === 'basic' ? 'username' : 'name')}
          placeholder={type === 'basic' ? 'gateway' : 'x-api-key'}
          value={user}
          onChange={(given) => change({ user: given })}
        />
      )}
      {type === 'basic' && secret('Password', 'password')}
      {type === 'bearer' && secret('Token', 'token')}
      {type === 'header' && secret('Value', 'value')}
    </>
  );
}

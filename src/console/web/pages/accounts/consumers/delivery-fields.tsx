import { type ReactNode, useState } from 'react';
import { Area, Choice, Field } from '../../../components/field.tsx';
import { AuthenticationFields } from './authentication-fields.tsx';
import styles from './consumers.module.css';
import { type DeliveryFieldsProps, hasDelivery, unreadable } from './delivery-draft.ts';
import { errorUnder } from './error-under.ts';

const signatures = [
  ['', 'With the secret (HMAC)'],
  ['ed25519', 'With a pair of keys (Ed25519)'],
] as const;

/** The fields of a column: what is set comes first. */
const setFirst = (fields: readonly (readonly [isSet: boolean, field: ReactNode])[]): ReactNode[] =>
  fields.toSorted(([a], [b]) => Number(b) - Number(a)).map(([, field]) => field);

/** How the consumer is reached: authentication, headers, authorities, statuses, schedule and timeout. Open where something of it is set. */
export function DeliveryFields(props: DeliveryFieldsProps) {
  const { draft, stored, errors, change } = props;
  const [isOpen, setIsOpen] = useState(hasDelivery(draft));
  const hasError = ['headers', 'authentication', 'ca', 'signature', 'timeout', 'schedule', 'success', 'final'].some(
    (field) => errorUnder(errors, field),
  );
  return (
    <details open={isOpen || hasError} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>How it is reached: headers, authentication, statuses, schedule</summary>
      <div className={`${styles.columns} ${styles.reached}`}>
        <div className="stack">
          {setFirst([
            [stored.authentication !== 'none', <AuthenticationFields key="authentication" {...props} />],
            [
              stored.signature !== '',
              <Choice
                key="signature"
                label="Signature"
                hint="With a pair of keys, its service only has the public one, which is shown with the consumer."
                error={errors.get('signature')}
                options={stored.signature === 'unreadable' ? [...signatures, unreadable] : signatures}
                value={draft.signature}
                onChange={(given) => change({ signature: given === 'ed25519' ? given : '' })}
              />,
            ],
            [
              stored.headers !== '',
              <Area
                key="headers"
                label="Headers"
                hint="One in each line, up to 20. They are shown, so they are not for secrets."
                error={errorUnder(errors, 'headers')}
                rows={3}
                placeholder="x-team: billing"
                value={draft.headers}
                onChange={(headers) => change({ headers })}
              />,
            ],
            [
              stored.ca !== '',
              <Area
                key="ca"
                label="Trusted authorities"
                hint="Certificates in PEM of a private authority: only these are trusted then. Empty: those of Node.js and NODE_EXTRA_CA_CERTS."
                error={errors.get('ca')}
                rows={2}
                placeholder="-----BEGIN CERTIFICATE-----"
                value={draft.ca}
                onChange={(ca) => change({ ca })}
              />,
            ],
          ])}
        </div>
        <div className="stack">
          {setFirst([
            [
              stored.success !== '',
              <Field
                key="success"
                label="Statuses that deliver"
                hint="Such as 2xx, 200-204, 302, and exceptions such as !202. Empty: 2xx."
                error={errorUnder(errors, 'success')}
                placeholder="2xx"
                value={draft.success}
                onChange={(success) => change({ success })}
              />,
            ],
            [
              stored.final !== '',
              <Field
                key="final"
                label="Final statuses"
                hint="After one of them, the event fails at once and its destinations are notified. Empty: none."
                error={errorUnder(errors, 'final')}
                placeholder="410"
                value={draft.final}
                onChange={(final) => change({ final })}
              />,
            ],
            [
              stored.schedule !== '',
              <Field
                key="schedule"
                label="Delays between attempts"
                hint="Up to 20, so up to 21 attempts, for new events and replays. Empty: as for all consumers. “none”: one attempt."
                error={errorUnder(errors, 'schedule')}
                placeholder="10s, 1m, 10m, 1h"
                value={draft.schedule}
                onChange={(schedule) => change({ schedule })}
              />,
            ],
            [
              stored.timeout !== '',
              <Field
                key="timeout"
                label="Timeout"
                hint="1s to 60s. Empty: as for all consumers."
                error={errors.get('timeout')}
                placeholder="15s"
                value={draft.timeout}
                onChange={(timeout) => change({ timeout })}
              />,
            ],
          ])}
        </div>
      </div>
    </details>
  );
}

import { useId } from 'react';
import fieldStyles from '../../../components/field.module.css';
import { Field } from '../../../components/field.tsx';
import { newDeliverySecret } from '../data/new-secret.ts';
import { SecretField } from '../fields/secret-field.tsx';
import type { Consumer, Draft } from './defaults.ts';

/** Where the events of a new account go. */
export function ConsumerChoice(props: {
  draft: Draft;
  /** The URL of this gateway for a trial; null if nothing can be delivered there. */
  trial: string | null;
  errors: ReadonlyMap<string, string>;
  onChange(change: Partial<Draft>): void;
}) {
  const { draft, trial, errors, onChange } = props;
  const name = useId();
  const ofTrial = ['trial', 'To this gateway, as a trial', `${trial} accepts every event and does nothing.`] as const;
  const choices: (readonly [Consumer, string, string])[] = [
    ['own', 'To my service', 'It gets each event as a POST request.'],
    ...(trial ? [ofTrial] : []),
    ['none', 'Nowhere yet', 'Attempts fail until you add a delivery URL.'],
  ];
  return (
    <fieldset className="stack">
      <legend className="visually-hidden">Where events go</legend>
      {choices.map(([value, label, hint]) => (
        <label key={value} className={fieldStyles.check}>
          <input
            type="radio"
            name={name}
            aria-labelledby={`${name}-${value}`}
            aria-describedby={`${name}-${value}-hint`}
            checked={draft.consumer === value}
            onChange={() => onChange({ consumer: value })}
          />
          <span>
            <strong id={`${name}-${value}`}>{label}</strong>
            <span id={`${name}-${value}-hint`} className="aside">
              {hint}
            </span>
          </span>
        </label>
      ))}
      {draft.consumer === 'own' && (
        <div className="stack">
          <Field
            label="Delivery URL"
            error={errors.get('delivery_url')}
            type="url"
            required
            maxLength={500}
            placeholder="https://shop.example/hooks"
            value={draft.deliveryUrl}
            onChange={(deliveryUrl) => onChange({ deliveryUrl })}
          />
          <SecretField
            label="Delivery secret (recommended)"
            hint="Your service checks with it that a request comes from this gateway. You can add it later."
            error={errors.get('delivery_secret')}
            generate={newDeliverySecret}
            value={draft.deliverySecret}
            onChange={(deliverySecret) => onChange({ deliverySecret })}
          />
        </div>
      )}
    </fieldset>
  );
}

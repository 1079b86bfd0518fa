import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { MatchingEvents } from '../../../components/condition-editor/matching-events.tsx';
import { Field } from '../../../components/field.tsx';
import { toLocalInput } from '../../../components/local-input.ts';
import { Notice } from '../../../components/notice.tsx';
import { counted } from '../../../components/number-text.ts';
import { submits } from '../../../components/submits.ts';
import { fieldErrors } from '../data/field-errors.ts';
import fieldStyles from '../fields/fields.module.css';
import { FormNotice, useFocusOnError } from '../fields/form-notice.tsx';
import { ConditionField } from './condition-field.tsx';
import type { Consumer } from './consumer-types.ts';
import styles from './consumers.module.css';
import { type BackfillDraft, useBackfill } from './use-backfill.ts';

const dayMs = 86_400_000;
const hasField = (path: string) => ['since', 'until', 'condition', 'per_second'].includes(path);
const yesterday = (): BackfillDraft => ({
  ...{ since: toLocalInput(new Date(Date.now() - dayMs).toISOString(), 19), until: '' },
  ...{ condition: '', perSecond: '' },
});

/** Makes events of stored webhooks for a consumer, after it has shown how many. */
export function BackfillForm(props: { accountId: string; consumer: Consumer; onDone(): void }) {
  const { accountId, consumer, onDone } = props;
  const [draft, setDraft] = useState(yesterday);
  const form = useRef<HTMLFormElement>(null);
  const { count, order } = useBackfill(accountId, consumer.name, onDone);
  const error = order.error ?? count.error;
  const errors = fieldErrors(error);
  useFocusOnError(form, error);
  useEffect(() => form.current?.querySelector<HTMLElement>('input')?.focus(), []);
  const change = (part: Partial<BackfillDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
    // A count is of what was in the form.
    count.reset();
    order.reset();
  };
  const found = count.data;
  const number = found && `${found.exact ? '' : 'more than '}${counted(found.matched, 'webhook')}`;
  return (
    <form
      ref={form}
      className={`stack inset ${styles.form}`}
      aria-label={`Backfill ${consumer.name}`}
      onSubmit={submits(() => (found ? order.mutate(draft) : count.mutate(draft)))}
    >
      <p className="aside">
        Makes an event for each stored webhook for which <bdi>{consumer.name}</bdi> has none and for which its condition
        holds, oldest first. They are delivered after new events.
      </p>
      <div className={styles.columns}>
        <div className={fieldStyles.pair}>
          <Field
            label="Since"
            type="datetime-local"
            step="1"
            required
            error={errors.get('since')}
            value={draft.since}
            onChange={(since) => change({ since })}
          />
          <Field
            label="Until"
            hint="Empty: until now."
            type="datetime-local"
            step="1"
            error={errors.get('until')}
            value={draft.until}
            onChange={(until) => change({ until })}
          />
          <Field
            label="Events per second"
            hint="At most 1,000."
            inputMode="numeric"
            placeholder="Default: 50"
            error={errors.get('per_second')}
            value={draft.perSecond}
            onChange={(perSecond) => change({ perSecond })}
          />
        </div>
        <ConditionField
          accountId={accountId}
          label="Further condition"
          initial=""
          error={errors.get('condition')}
          onChange={(condition) => change({ condition })}
        />
      </div>
      <div aria-live="polite" className="lines">
        {found && (
          <Notice tone={found.matched === 0 ? 'open' : 'calm'}>
            <p>
              {found.matched === 0 ? (
                <>No webhook of this time is missing. There is nothing to make.</>
              ) : (
                <>
                  <strong>{number}</strong> {found.matched === 1 && found.exact ? 'becomes an event' : 'become events'}{' '}
                  of <bdi>{consumer.name}</bdi>.
                </>
              )}
            </p>
          </Notice>
        )}
        {found && found.events.length > 0 && (
          <MatchingEvents
            title={found.events.length < found.matched ? `Show the oldest ${found.events.length} of them` : 'Show them'}
            events={found.events}
          />
        )}
      </div>
      <FormNotice error={error} hasField={hasField} />
      <div className="buttons">
        {found && found.matched > 0 ? (
          <Button tone="main" type="submit" blocked={order.isPending}>
            Start the backfill
          </Button>
        ) : (
          <Button tone="main" type="submit" blocked={count.isPending || found !== undefined}>
            {count.isPending ? 'Counting …' : 'Count webhooks'}
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

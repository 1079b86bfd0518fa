import { useEffect, useRef, useState } from 'react';
import { announce } from '../../../components/announce.ts';
import { Button } from '../../../components/button.tsx';
import { ConditionEditor } from '../../../components/condition-editor/condition-editor-on-demand.ts';
import { Choice, Field } from '../../../components/field.tsx';
import { ProblemNotice } from '../../../components/notice.tsx';
import { submits } from '../../../components/submits.ts';
import { type Destination, type DestinationType, typeNames } from './destination-types.ts';
import styles from './destinations.module.css';
import { changeOf, type Draft, draftOf, newDestination } from './draft.ts';
import { KindsField } from './kinds-field.tsx';
import { SettingsFields } from './settings-fields.tsx';
import { useSaveDestination } from './use-destinations.ts';

const types = Object.entries(typeNames) as [DestinationType, string][];

/**
 * Creates a destination, or changes the stored one.
 *
 * @param onDone called with the id of the saved destination, or with null when the user cancels.
 */
export function DestinationForm(props: {
  accountId: string;
  stored: Destination | null;
  onDone(saved: Destination | null): void;
}) {
  const { accountId, stored, onDone } = props;
  // As it was when the form was opened: what colleagues change in the meantime is no change of this user.
  const [before] = useState(stored);
  const [draft, setDraft] = useState(() => draftOf(before));
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const form = useRef<HTMLFormElement>(null);
  const save = useSaveDestination(accountId);
  useEffect(() => form.current?.querySelector<HTMLElement>('select, input')?.focus(), []);
  const submit = async () => {
    const body = before ? { id: before.id, change: changeOf(before, draft) } : { create: newDestination(draft) };
    try {
      const saved = await save.mutateAsync(body);
      announce(before ? `${saved.name} was changed.` : `${saved.name} was added.`, 'good');
      onDone(saved);
    } catch {
      // The notice below the form shows the problem.
    }
  };
  const isOfStored = before?.destination_type === draft.type;
  return (
    <form
      ref={form}
      className={`stack inset ${styles.form}`}
      aria-label={before ? `Edit ${before.name}` : 'New destination'}
      onSubmit={submits(() => void submit())}
    >
      <div className={styles.columns}>
        <div className="stack">
          <Choice
            label="Type"
            value={draft.type}
            options={types}
            onChange={(chosen) => change({ type: types.find(([type]) => type === chosen)?.[0] ?? 'webhook' })}
          />
          <Field
            label="Name"
            required
            maxLength={200}
            placeholder="On-call"
            value={draft.name}
            onChange={(name) => change({ name })}
          />
          <SettingsFields
            draft={draft}
            hasSecret={isOfStored && 'url' in before.config && before.config.has_secret}
            change={change}
          />
          <KindsField
            chosen={draft.kinds}
            hasCondition={draft.condition.trim() !== ''}
            onChange={(kinds) => change({ kinds })}
          />
        </div>
        <ConditionEditor
          accountId={accountId}
          label="Condition"
          initial={draft.condition}
          onChange={(condition) => change({ condition })}
        />
      </div>
      {save.error && <ProblemNotice error={save.error} />}
      <div className="buttons">
        <Button tone="main" type="submit" blocked={save.isPending}>
          {save.isPending ? 'Saving …' : before ? 'Save changes' : 'Create destination'}
        </Button>
        <Button onClick={() => onDone(null)}>Cancel</Button>
      </div>
    </form>
  );
}

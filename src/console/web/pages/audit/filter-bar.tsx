import { Button } from '../../components/button.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { numberText } from '../../components/number-text.ts';
import { actionText } from './actions.ts';
import styles from './audit.module.css';
import type { AuditFilters, Statistics } from './audit-types.ts';
import { ChosenText } from './chosen-text.tsx';
import { fromLocalInput, toLocalInput } from './local-input.ts';

interface Props {
  filters: AuditFilters;
  statistics: Statistics | undefined;
  onChange(change: Partial<AuditFilters>): void;
}

const none: Record<keyof AuditFilters, undefined> = {
  ...{ actor: undefined, action: undefined, ip_address: undefined, event_id: undefined },
  ...{ since: undefined, until: undefined, show: undefined },
};

/** The filters of the log, with the values that it has. */
export function FilterBar({ filters, statistics, onChange }: Props) {
  const { actor, action, ip_address, event_id, since, until, show } = filters;
  return (
    <search className={styles.filters}>
      <Choice
        label="Calls"
        value={action === undefined ? (show ?? '') : 'all'}
        disabled={action !== undefined}
        onChange={({ target }) => onChange({ show: target.value })}
      >
        <option value="">Changes and refusals</option>
        <option value="all">All, also reads and wrong tokens</option>
      </Choice>
      <ActionChoice action={action} statistics={statistics} onChange={onChange} />
      <ChosenText
        label="Actor"
        value={actor}
        counts={statistics?.by_actor}
        onChange={(chosen) => onChange({ actor: chosen })}
      />
      <ChosenText
        label="IP address"
        value={ip_address}
        counts={statistics?.by_ip}
        onChange={(chosen) => onChange({ ip_address: chosen })}
      />
      <ChosenText label="Event id" value={event_id} onChange={(chosen) => onChange({ event_id: chosen })} />
      <Field
        label="Since"
        type="datetime-local"
        value={toLocalInput(since)}
        onChange={({ target }) => onChange({ since: fromLocalInput(target.value) })}
      />
      <Field
        label="Until"
        type="datetime-local"
        value={toLocalInput(until)}
        onChange={({ target }) => onChange({ until: fromLocalInput(target.value) })}
      />
      {Object.keys(filters).length > 0 && (
        <Button tone="quiet" onClick={() => onChange(none)}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

function ActionChoice({ action, statistics, onChange }: Omit<Props, 'filters'> & { action: string | undefined }) {
  const counts = Object.entries(statistics?.by_action ?? {}).sort(([one], [other]) => one.localeCompare(other));
  const isListed = action === undefined || counts.some(([name]) => name === action);
  return (
    <Choice label="Action" value={action ?? ''} onChange={({ target }) => onChange({ action: target.value })}>
      <option value="">Any</option>
      {!isListed && <option value={action}>{actionText(action)}</option>}
      {counts.map(([name, count]) => (
        <option key={name} value={name}>
          {name} – {actionText(name)} ({numberText(count)})
        </option>
      ))}
    </Choice>
  );
}

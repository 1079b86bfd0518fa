import { Button } from '../../components/button.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { fromLocalInput, toLocalInput } from '../../components/local-input.ts';
import { numberText } from '../../components/number-text.ts';
import { useAddressText } from '../../components/use-address-text.ts';
import { actionText } from './actions.ts';
import styles from './audit.module.css';
import { type AuditFilters, auditFilterNames, type Statistics } from './audit-types.ts';
import { ChosenText } from './chosen-text.tsx';

interface Props {
  filters: AuditFilters;
  statistics: Statistics | undefined;
  onChange(change: AuditFilters): void;
}

const none: AuditFilters = Object.fromEntries(auditFilterNames.map((name) => [name, undefined]));

/** The filters of the log, with the values that it has. */
export function FilterBar({ filters, statistics, onChange }: Props) {
  const { actor, action, ip_address, event_id, since, until, show } = filters;
  return (
    <search className={styles.filters}>
      <Choice
        label="Calls"
        value={action === undefined ? (show ?? '') : 'all'}
        disabled={action !== undefined}
        options={[
          ['', 'Changes and refusals'],
          ['all', 'All, also reads and wrong tokens'],
        ]}
        onChange={(chosen) => onChange({ show: chosen })}
      />
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
      <TimeField label="Since" iso={since} onChange={(iso) => onChange({ since: iso })} />
      <TimeField label="Until" iso={until} onChange={(iso) => onChange({ until: iso })} />
      {Object.keys(filters).length > 0 && (
        <Button tone="quiet" onClick={() => onChange(none)}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

function TimeField(props: { label: string; iso: string | undefined; onChange(iso: string | undefined): void }) {
  const field = useAddressText(toLocalInput(props.iso, 16), (time) => props.onChange(fromLocalInput(time)));
  return <Field label={props.label} type="datetime-local" {...field} />;
}

function ActionChoice({ action, statistics, onChange }: Omit<Props, 'filters'> & { action: string | undefined }) {
  const counts = Object.entries(statistics?.by_action ?? {}).sort(([one], [other]) => one.localeCompare(other));
  const isListed = action === undefined || counts.some(([name]) => name === action);
  const options: [string, string][] = [
    ['', 'Any'],
    ...(isListed ? [] : [[action, actionText(action)] as [string, string]]),
    ...counts.map(([name, count]): [string, string] => [name, `${name} – ${actionText(name)} (${numberText(count)})`]),
  ];
  return (
    <Choice label="Action" value={action ?? ''} options={options} onChange={(chosen) => onChange({ action: chosen })} />
  );
}

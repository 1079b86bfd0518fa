import { type EventState, eventStates, stateName } from '../../../../../events/event-state.ts';
import type { Filters } from '../../../api/filters.ts';
import { Button } from '../../../components/button.tsx';
import { closedFilters, type FilterName, filterLabels, linkedFilters } from './filter-names.ts';
import { FilterPill } from './filter-pill.tsx';
import { TimePill } from './time-pill.tsx';
import { useFilterValues } from './use-filter-values.ts';

/** A pill for each filter of a list. */
export function FilterBar(props: {
  names: readonly FilterName[];
  filters: Filters;
  onChange(change: Filters): void;
  onClear(): void;
}) {
  const { names, filters, onChange, onClear } = props;
  const values = useFilterValues(filters);
  return (
    <fieldset className="line">
      <legend className="visually-hidden">Filters</legend>
      {names
        .filter((name) => filters[name] !== undefined || !linkedFilters.includes(name))
        .map((name) => (
          <FilterPill
            key={name}
            label={filterLabels[name]}
            value={filters[name]}
            values={values[name]}
            isClosed={closedFilters.includes(name)}
            {...(name === 'state' ? { textOf: stateOf } : name === 'cause' ? { textOf: causeText } : {})}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
      <TimePill span={{ since: filters.since, until: filters.until }} onChange={(span) => onChange({ ...span })} />
      {Object.keys(filters).length > 0 && (
        <Button tone="quiet" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </fieldset>
  );
}

const causeText = (cause: string) => cause.replaceAll('_', ' ');

/** The name of a state; of another text in an address, that text. */
const stateOf = (value: string) => (eventStates.includes(value as EventState) ? stateName(value as EventState) : value);

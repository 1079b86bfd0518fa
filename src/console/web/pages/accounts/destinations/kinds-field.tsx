import type { ReactNode } from 'react';
import { Check } from '../../../components/field.tsx';
import { type DestinationKind, kinds, kindTexts } from './destination-kinds.ts';
import styles from './destinations.module.css';

/** The kinds of messages that a destination gets, as boxes to tick. */
export function KindsField(props: {
  chosen: readonly DestinationKind[];
  hasCondition: boolean;
  onChange(chosen: DestinationKind[]): void;
}) {
  const { chosen, hasCondition } = props;
  const choose = (kind: DestinationKind, isChosen: boolean) =>
    props.onChange(kinds.filter((one) => (one === kind ? isChosen : chosen.includes(one))));
  const tellsIncidents = chosen.some((kind) => kind !== 'delivery.failed');
  return (
    <fieldset className={styles.kinds}>
      <legend>Send a message when</legend>
      {kinds.map((kind) => (
        <Check
          key={kind}
          label={kindTexts[kind].label}
          hint={kindTexts[kind].hint}
          checked={chosen.includes(kind)}
          onChange={(isChosen) => choose(kind, isChosen)}
        />
      ))}
      {chosen.length === 0 && <Hint>Choose one at least; to send nothing, turn the destination off.</Hint>}
      {tellsIncidents && hasCondition && (
        <Hint>
          Incidents must meet the condition, too. Of its names they have only <code>provider</code>,{' '}
          <code>account_slug</code>, <code>app_key</code> and <code>consumer</code>.
        </Hint>
      )}
    </fieldset>
  );
}

const Hint = ({ children }: { children: ReactNode }) => (
  <p className="aside" role="status">
    {children}
  </p>
);

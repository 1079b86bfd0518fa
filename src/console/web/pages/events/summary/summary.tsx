import type { Filters } from '../../../api/filters.ts';
import { numberText } from '../../../components/number-text.ts';
import { Bars } from './bars.tsx';
import { ExportButtons } from './export-buttons.tsx';
import styles from './summary.module.css';
import { useEventCount } from './use-event-count.ts';

/** How many events a list has, when they were received, and a file of them. */
export function Summary({ filters, onChange }: { filters: Filters; onChange(change: Filters): void }) {
  const { data, error } = useEventCount(filters);
  return (
    <section className={styles.summary} aria-label="All events of these filters">
      <p className={styles.count}>
        {data ? (
          <>
            <strong>
              {!data.exact && '≥ '}
              {numberText(data.count)}
            </strong>{' '}
            {data.exact && data.count === 1 ? 'event' : 'events'}
          </>
        ) : (
          <span className="aside">{error ? 'not counted' : 'counting …'}</span>
        )}
      </p>
      {data && data.count > 0 && (
        <Bars
          bars={data.bars}
          stepMs={data.step_ms}
          // A filter leaves out its own time, and a bar begins with it.
          onChoose={(fromMs, toMs) =>
            onChange({ since: new Date(fromMs - 1).toISOString(), until: new Date(toMs).toISOString() })
          }
        />
      )}
      <ExportButtons filters={filters} />
    </section>
  );
}

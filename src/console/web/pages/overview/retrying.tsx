import { Link } from '@tanstack/react-router';
import { AccountName } from '../../components/account-name.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { Panel, ScrollTable } from '../../components/page.tsx';
import { useRetrying } from './use-overview.ts';

/** So many are shown; the list of events has all. */
const shown = 10;

/** The events that are being retried now, with the time of their next attempts. */
export function Retrying() {
  const { data, error, refetch } = useRetrying();
  return (
    <Panel title="Being retried now">
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <p className="aside">No event waits for a retry.</p>}
      {data && data.length > 0 && (
        <ScrollTable label="Being retried now" columns={['Event', 'Account', 'Attempts', 'Next attempt']}>
          {data.slice(0, shown).map((event) => (
            <tr key={event.id}>
              <td>
                <Link to="/events/$eventId" params={{ eventId: event.id }}>
                  <bdi>{event.event_type ?? event.external_id}</bdi>
                </Link>
              </td>
              <td>
                <AccountName of={event} />
              </td>
              <td>{event.attempts}</td>
              <td>
                <Moment iso={event.next_attempt_at} ago />
              </td>
            </tr>
          ))}
        </ScrollTable>
      )}
      {data && data.length > shown && (
        <p>
          <Link to="/events" search={{ delivery_status: 'pending' }}>
            All events that wait or are retried
          </Link>
        </p>
      )}
    </Panel>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { answer, api } from '../../api/client.ts';
import { ApiProblem } from '../../api/problem.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { eventKey } from '../event/use-event.ts';
import styles from './rejected.module.css';

/** A button that checks a rejected webhook again, and its result beside it. */
export function CheckAgain({ eventId, label = 'Check again' }: { eventId: string; label?: string }) {
  const client = useQueryClient();
  const mayOperate = useMay('operate');
  const check = useMutation({
    mutationFn: () => answer(api.events.rejected({ rejected_id: eventId }).check.post()),
    onSettled: () => client.invalidateQueries({ queryKey: eventKey(eventId) }),
  });
  if (!mayOperate) return null;
  const { data, error } = check;
  return (
    <span className={`line ${styles.check}`}>
      <Button blocked={check.isPending} onClick={() => check.mutate()}>
        {label}
      </Button>
      <span role="status" data-tone={data && data.result !== 'rejected' ? 'good' : 'bad'}>
        {data && data.result === 'rejected' && 'Still rejected: '}
        {data?.explanation}
        {error && (error instanceof ApiProblem ? error.detail : String(error))}{' '}
        {data && data.event_id !== null && (
          <Link to="/events/$eventId" params={{ eventId: data.event_id }}>
            To the event
          </Link>
        )}
      </span>
    </span>
  );
}

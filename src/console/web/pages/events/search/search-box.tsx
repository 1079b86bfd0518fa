import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isId } from '../../../../../shared/is-id.ts';
import { ApiProblem } from '../../../api/problem.ts';
import { Button } from '../../../components/button.tsx';
import { submits } from '../../../components/submits.ts';
import { eventQuery } from '../../event/use-event.ts';
import styles from './search.module.css';

/**
 * One field for three searches: an event id opens the event, other texts are external ids, or searched in payloads. The
 * external ids of some providers are UUIDs, too.
 */
export function SearchBox(props: { onExternalId(id: string): void; onPayloads(text: string): void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const lookUp = useMutation({ mutationFn: (id: string) => client.fetchQuery(eventQuery(id)) });
  const given = text.trim();
  const find = () => {
    if (given === '') return;
    if (!isId(given)) return props.onExternalId(given);
    const eventId = given.toLowerCase();
    // Not called after the user has gone to another page or list.
    lookUp.mutate(eventId, {
      onSettled(_, problem) {
        if (problem instanceof ApiProblem && problem.status === 404) props.onExternalId(given);
        // The page of the event shows other problems.
        else void navigate({ to: '/events/$eventId', params: { eventId } });
      },
    });
  };
  return (
    <form className={styles.box} aria-busy={lookUp.isPending} onSubmit={submits(find)}>
      <input
        type="search"
        aria-label="Event id or external id"
        placeholder="Event id or external id  ( / )"
        value={text}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit">Find</Button>
      <Button disabled={given === '' || given.length > 200} onClick={() => props.onPayloads(given)}>
        Search payloads
      </Button>
    </form>
  );
}

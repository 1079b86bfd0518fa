import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isId } from '../../../../../shared/is-id.ts';
import { Button } from '../../../components/button.tsx';
import { submits } from '../../../components/submits.ts';
import styles from './search.module.css';

/** One field for three searches: an event id opens the event, other texts are external ids, or searched in payloads. */
export function SearchBox(props: { onExternalId(id: string): void; onPayloads(text: string): void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const given = text.trim();
  return (
    <form
      className={styles.box}
      onSubmit={submits(() => {
        if (given === '') return;
        if (isId(given)) void navigate({ to: '/events/$eventId', params: { eventId: given.toLowerCase() } });
        else props.onExternalId(given);
      })}
    >
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

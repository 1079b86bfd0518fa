import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answer, api } from '../../api/client.ts';
import { announce } from '../../components/announce.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import styles from './audit.module.css';
import { VerificationResult } from './verification-result.tsx';

function verifyWith(noted: string) {
  const query = noted === '' ? {} : { head: noted };
  // @ts-expect-error the type is that of the parsed head, but the address takes its text
  return answer(api['audit-logs'].verify.get({ query }));
}

/** Verifies the log, also against a head that was noted before. */
export function VerifyPanel() {
  const [head, setHead] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const verify = useMutation({
    mutationFn: verifyWith,
    onSuccess: ({ ok }) => announce(ok ? 'The log is intact.' : 'The log is not intact.', ok ? 'good' : 'bad'),
  });
  const { mutate } = verify;
  useEffect(() => {
    mutate('');
    form.current?.querySelector('input')?.focus();
  }, [mutate]);
  return (
    <Panel title="Verify the log">
      <p className={styles.explained}>
        Each entry has a code that only the holder of <code>SECRETS_KEY</code> can compute, and a seal that depends on
        all entries before it. The verification computes all of them again.
      </p>
      <form
        ref={form}
        className={styles.verify}
        onSubmit={(event) => {
          event.preventDefault();
          mutate(head.trim());
        }}
      >
        <Field
          label="Head that you noted (optional)"
          placeholder="<number>:<seal>"
          pattern="\s*[1-9]\d{0,14}:[0-9a-f]{64}\s*"
          title="A number, a colon and 64 hexadecimal digits"
          value={head}
          hint="From an earlier verification, a line “audit log head” of the gateway's log, or a restore."
          onChange={({ target }) => setHead(target.value)}
        />
        <Button tone="main" type="submit" disabled={verify.isPending}>
          {verify.isPending ? 'Verifying …' : 'Verify'}
        </Button>
      </form>
      {verify.error && <ProblemNotice error={verify.error} />}
      {verify.data && !verify.isPending && (
        <VerificationResult found={verify.data} isCompared={verify.variables !== ''} />
      )}
    </Panel>
  );
}

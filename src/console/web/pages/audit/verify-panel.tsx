import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { longCall } from '../../api/long-call.ts';
import { announce } from '../../components/announce.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { ProblemNotice } from '../../components/notice.tsx';
import { numberText } from '../../components/number-text.ts';
import { Panel } from '../../components/page.tsx';
import { submits } from '../../components/submits.ts';
import styles from './audit.module.css';
import type { Verification } from './audit-types.ts';
import { VerificationResult } from './verification-result.tsx';

interface Progress {
  checked: number;
  of: number;
}

/** Verifies the log, also against a head that was noted before. The verification ends when the panel is closed. */
export function VerifyPanel() {
  const [head, setHead] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const calls = useRef(new AbortController());
  const verify = useMutation({
    mutationFn: (noted: string) => {
      calls.current.abort();
      calls.current = new AbortController();
      setProgress(null);
      const query = noted === '' ? '' : `?head=${encodeURIComponent(noted)}`;
      return longCall<Verification, Progress>(`/admin/audit-logs/verify${query}`, {
        signal: calls.current.signal,
        onProgress: setProgress,
      });
    },
    onSuccess: ({ ok }) => announce(ok ? 'The log is intact.' : 'The log is not intact.', ok ? 'good' : 'bad'),
  });
  const { mutate } = verify;
  useEffect(() => {
    mutate('');
    form.current?.querySelector('input')?.focus();
    return () => calls.current.abort();
  }, [mutate]);
  return (
    <Panel title="Verify the log">
      <p className={`intro ${styles.explained}`}>
        Each entry has a code that only the holder of <code>SECRETS_KEY</code> can compute, and a seal that depends on
        all entries before it. The verification computes all of them again.
      </p>
      <form ref={form} className={styles.verify} onSubmit={submits(() => mutate(head.trim()))}>
        <Field
          label="Head that you noted (optional)"
          placeholder="<number>:<seal>"
          pattern="\s*[1-9]\d{0,14}:[0-9a-f]{64}\s*"
          title="A number, a colon and 64 hexadecimal digits"
          value={head}
          hint="From an earlier verification, a line “audit log head” of the gateway's log, or a restore."
          onChange={setHead}
        />
        <Button tone="main" type="submit" blocked={verify.isPending}>
          {verify.isPending ? 'Verifying …' : 'Verify'}
        </Button>
      </form>
      {verify.isPending && progress && progress.of > 0 && (
        <p className={`intro ${styles.explained}`}>
          {numberText(progress.checked)} of {numberText(progress.of)} entries checked.
        </p>
      )}
      {verify.error && <ProblemNotice error={verify.error} />}
      {verify.data && !verify.isPending && (
        <VerificationResult found={verify.data} isCompared={verify.variables !== ''} />
      )}
    </Panel>
  );
}

import { useMay } from '../../../api/session.ts';
import type { Account } from '../../../api/types.ts';
import { Button } from '../../../components/button.tsx';
import { Moment } from '../../../components/moment.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useResumeAccount } from './use-pauses.ts';

/** Says that deliveries of an account are paused, as long as they are, and resumes them. */
export function AccountPause({ account: { id, paused } }: { account: Account }) {
  const mayOperate = useMay('operate');
  const resume = useResumeAccount(id);
  // An api of the release before sends none.
  if (!paused) return null;
  return (
    <Notice tone="open">
      <p>
        <strong>Deliveries to all consumers of this account are paused</strong> since <Moment iso={paused.since} />
        {paused.reason !== null && (
          <>
            : <bdi>{paused.reason}</bdi>
          </>
        )}
        . Webhooks are still accepted and become events.
      </p>
      {mayOperate && (
        <Button blocked={resume.isPending} onClick={() => resume.mutate()}>
          Resume all
        </Button>
      )}
    </Notice>
  );
}

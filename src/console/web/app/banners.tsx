import { answer, api } from '../api/client.ts';
import { useHealth } from '../api/health.ts';
import { isOutage } from '../api/problem.ts';
import { useMay, useSession } from '../api/session.ts';
import { statsKey, useStats } from '../api/stats.ts';
import { Button } from '../components/button.tsx';
import { Moment } from '../components/moment.tsx';
import { Notice } from '../components/notice.tsx';
import { useAction } from '../components/use-action.ts';
import styles from './banners.module.css';

/** Above each page: whether the gateway or its database is away, and whether deliveries are paused. */
export function Banners() {
  const { data, error: ofStats } = useStats();
  const { error: ofHealth } = useHealth();
  const { error: ofSession } = useSession();
  const outage = [ofStats, ofHealth, ofSession].find(isOutage);
  const mayOperate = useMay('operate');
  const resume = useAction({
    call: () => answer(api.delivery.resume.post()),
    done: () => 'Deliveries go on.',
    changes: statsKey,
  });
  return (
    <div className={styles.banners} role="status" aria-live="polite">
      {outage && (
        <Notice tone="bad">
          <span>
            <strong>{outage.code === null ? 'The gateway does not answer' : outage.title}.</strong> {outage.detail}.
            What you see may be from before; the page continues by itself.
          </span>
        </Notice>
      )}
      {data?.paused && (
        <Notice tone="open">
          <span>
            <strong>Deliveries are paused</strong> since <Moment iso={data.paused.since} />
            {data.paused.reason ? `: ${data.paused.reason}` : ''}. Webhooks are accepted and stored, but not delivered.
          </span>
          {mayOperate && (
            <Button blocked={resume.isPending} onClick={() => resume.mutate()}>
              Resume deliveries
            </Button>
          )}
        </Notice>
      )}
    </div>
  );
}

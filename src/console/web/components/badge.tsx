import styles from './badge.module.css';

const states = {
  bad: ['failed', 'dead', 'rejected', 'error', 'refused'],
  good: ['delivered', 'processed', 'sent', 'completed', 'done', 'running', 'on'],
  open: ['pending', 'stopping', 'paused', 'queued'],
};

const toneOf = (state: string) => Object.entries(states).find(([, names]) => names.includes(state))?.[0] ?? 'calm';

/** A state as a coloured label. The text alone also identifies the state. */
export function Badge({ state, label = state }: { state: string; label?: string }) {
  return (
    <span className={styles.badge} data-tone={toneOf(state)}>
      {label}
    </span>
  );
}

/** The state that matters most: that of the delivery, or that nothing is delivered. */
export function EventBadge({ status, delivery_status }: { status: string; delivery_status: string | null }) {
  // No consumer wants the webhook.
  if (status === 'enqueued' && delivery_status === null) return <Badge state="skipped" />;
  if (status === 'dead' || status === 'rejected' || delivery_status === null) return <Badge state={status} />;
  if (status === 'processed' && delivery_status !== 'delivered')
    return <Badge state="processed" label="acknowledged" />;
  return <Badge state={delivery_status} />;
}

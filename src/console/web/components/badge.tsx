import styles from './badge.module.css';

const tones = new Map<string, string | undefined>([
  ...['failed', 'dead', 'rejected', 'error', 'refused'].map((state) => [state, styles.bad] as const),
  ...['delivered', 'processed', 'sent', 'completed', 'done', 'running', 'on'].map(
    (state) => [state, styles.good] as const,
  ),
  ...['pending', 'stopping', 'paused', 'queued'].map((state) => [state, styles.open] as const),
]);

/** A state as a coloured label. The text alone also identifies the state. */
export function Badge({ state, label = state }: { state: string; label?: string }) {
  return <span className={`${styles.badge} ${tones.get(state) ?? ''}`}>{label}</span>;
}

/** The state that matters most: that of the delivery, or that nothing is delivered. */
export function EventBadge({ status, delivery_status }: { status: string; delivery_status: string | null }) {
  if (status === 'dead' || status === 'rejected' || delivery_status === null) return <Badge state={status} />;
  if (status === 'processed' && delivery_status !== 'delivered')
    return <Badge state="processed" label="acknowledged" />;
  return <Badge state={delivery_status} />;
}

import { Check } from 'lucide-react';
import { type ShownState, stateText } from '../../../events/event-state.ts';
import styles from './badge.module.css';

const states = {
  bad: ['exhausted', 'failed_by_person', 'failed', 'dead', 'rejected', 'error', 'refused'],
  good: ['delivered', 'acknowledged', 'sent', 'completed', 'done', 'running', 'on'],
  open: ['retrying', 'pending', 'stopping', 'paused'],
};

const toneOf = (state: string) => Object.entries(states).find(([, names]) => names.includes(state))?.[0] ?? 'calm';

/** A state as a label, coloured only where something is wrong or open. The text alone also identifies the state. */
export function Badge({ state, label = state }: { state: string; label?: string }) {
  const tone = toneOf(state);
  return (
    <span className={styles.badge} data-tone={tone}>
      {tone === 'good' && <Check />}
      {label}
    </span>
  );
}

/** The state of an event, as lists and pages show it. */
export function EventBadge(event: ShownState) {
  return <Badge state={event.state} label={stateText(event)} />;
}

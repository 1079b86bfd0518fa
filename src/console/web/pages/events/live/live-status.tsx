import { Button } from '../../../components/button.tsx';
import { counted, numberText } from '../../../components/number-text.ts';
import styles from './live.module.css';
import type { LiveEvents } from './use-live-events.ts';

/** Whether the list is live and complete, and how many new events wait while it is held. */
export function LiveStatus(props: {
  live: LiveEvents;
  isOn: boolean;
  held: number;
  isHeld: boolean;
  /** Whether the list lacks events or changes until it is loaded again. */
  isIncomplete: boolean;
  onToggle(): void;
  onShow(): void;
}) {
  const { live, isOn, held, isHeld, isIncomplete, onToggle, onShow } = props;
  const still = isIncomplete ? 'Held, lacks events' : 'Held';
  const moving = isIncomplete ? 'Catching up …' : 'Live';
  const texts = { off: 'Not live', connecting: 'Connecting …', live: isHeld ? still : moving, away: 'Reconnecting …' };
  return (
    <span className="line">
      <span className={styles.state} data-state={isHeld ? 'held' : live.state} role="status">
        {texts[live.state]}
      </span>
      {isHeld && held > 0 && <Button onClick={onShow}>Show {counted(held, 'new event')}</Button>}
      {live.leftOut > 0 && (
        <span className="aside">{numberText(live.leftOut)} more came too fast to show; filter the list</span>
      )}
      <Button tone="quiet" onClick={onToggle}>
        {isOn ? 'Stop live' : 'Go live'}
      </Button>
    </span>
  );
}

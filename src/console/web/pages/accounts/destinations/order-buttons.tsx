import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { Button } from '../../../components/button.tsx';
import styles from './destinations.module.css';

/** Moves a row up or down, also by the arrow keys while one of the buttons has the focus. */
export function OrderButtons(props: { name: string; isFirst: boolean; isLast: boolean; onMove(by: 1 | -1): void }) {
  const { name, isFirst, isLast, onMove } = props;
  const group = useRef<HTMLDivElement>(null);
  /** The button that has to keep the focus: browsers take it from an element that moves. */
  const pressed = useRef<'up' | 'down' | null>(null);
  useEffect(() => {
    if (pressed.current === null) return;
    group.current?.querySelector<HTMLElement>(`[data-by="${pressed.current}"]`)?.focus();
    pressed.current = null;
  });
  const move = (by: 1 | -1) => {
    if (by === -1 ? isFirst : isLast) return;
    pressed.current = by === -1 ? 'up' : 'down';
    onMove(by);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    move(event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    <div ref={group} className={styles.order}>
      <Button
        tone="quiet"
        data-by="up"
        aria-label={`Move up: ${name}`}
        aria-disabled={isFirst}
        onKeyDown={onKeyDown}
        onClick={() => move(-1)}
      >
        <ArrowUp />
      </Button>
      <Button
        tone="quiet"
        data-by="down"
        aria-label={`Move down: ${name}`}
        aria-disabled={isLast}
        onKeyDown={onKeyDown}
        onClick={() => move(1)}
      >
        <ArrowDown />
      </Button>
    </div>
  );
}

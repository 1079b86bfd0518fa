import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../../components/button.tsx';
import styles from './rotation.module.css';

/** The steps of a rotation. The focus goes to its title when it opens. */
export function Steps({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="stack inset">
      <div className="spread">
        <h4 ref={heading} tabIndex={-1} className={styles.title}>
          {title}
        </h4>
        <Button tone="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      <ol className="stack">{children}</ol>
    </div>
  );
}

/** One step: done, the present one, or one to come. Steps to come show only their title. */
export function Step(props: { title: string; state: 'done' | 'now' | 'later'; children?: ReactNode }) {
  const { title, state, children } = props;
  return (
    <li className={styles.step} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <p className={styles.stepTitle}>
        {title}
        {state === 'done' && <span className={styles.done}> Done</span>}
      </p>
      {state === 'now' && children}
    </li>
  );
}

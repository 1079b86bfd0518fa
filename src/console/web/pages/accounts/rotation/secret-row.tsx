import type { ReactNode, Ref } from 'react';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import styles from './rotation.module.css';

/** One secret: whether it is set, and the button that opens its rotation. The value is never shown. */
export function SecretRow(props: {
  name: string;
  note: ReactNode;
  isSet: boolean;
  /** What the button says in place of "Rotate" or "Set". */
  action?: string | undefined;
  isOpen: boolean;
  buttonRef: Ref<HTMLButtonElement>;
  /** Undefined for users who may not change it. */
  onOpen: (() => void) | undefined;
  children?: ReactNode;
}) {
  const { name, note, isSet, isOpen, onOpen } = props;
  const action = props.action ?? (isSet ? 'Rotate' : 'Set');
  return (
    <section className={styles.secret} aria-label={name}>
      <div className={`spread ${styles.secretHead}`}>
        <div>
          <h3>{name}</h3>
          <p className="aside">{note}</p>
        </div>
        <div className={styles.secretState}>
          {isSet ? <Badge state="on" label="set" /> : <Badge state="off" label="not set" />}
          {onOpen && !isOpen && (
            <Button ref={props.buttonRef} aria-label={`${action}: ${name}`} onClick={onOpen}>
              {action}
            </Button>
          )}
        </div>
      </div>
      {props.children}
    </section>
  );
}

import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button, type Tone } from './button.tsx';
import styles from './dialog.module.css';
import { submits } from './submits.ts';

/** A dialog that asks before an action. The focus returns to where it was. */
export function ConfirmDialog(props: {
  open: boolean;
  title: string;
  confirm: string;
  tone?: Tone;
  busy?: boolean;
  children: ReactNode;
  onConfirm(): void;
  onClose(): void;
}) {
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className={styles.title}>{props.title}</Dialog.Title>
          <form onSubmit={submits(() => props.onConfirm())}>
            <div className={styles.body}>{props.children}</div>
            <div className={`buttons ${styles.actions}`}>
              <Button onClick={props.onClose}>Cancel</Button>
              <Button tone={props.tone ?? 'main'} type="submit" disabled={props.busy}>
                {props.confirm}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

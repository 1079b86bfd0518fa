import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button, type Tone } from './button.tsx';
import styles from './dialog.module.css';
import { submits } from './submits.ts';

/**
 * A dialog that asks before an action. The focus returns to where it was. While the call is in flight the dialog stays,
 * because closing it would not take the call back, and its outcome could not be shown.
 */
export function ConfirmDialog(props: {
  open: boolean;
  title: string;
  confirm: string;
  tone?: Tone;
  /** Whether the call is in flight. */
  busy?: boolean;
  /** Whether the dialog has what the action needs. */
  canConfirm?: boolean;
  children: ReactNode;
  onConfirm(): void;
  onClose(): void;
}) {
  const { busy = false, canConfirm = true } = props;
  const close = () => busy || props.onClose();
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <Dialog.Title className={styles.title}>{props.title}</Dialog.Title>
          <form onSubmit={submits(props.onConfirm)}>
            <div className={styles.body}>{props.children}</div>
            <div className={`buttons ${styles.actions}`}>
              <Button blocked={busy} onClick={close}>
                Cancel
              </Button>
              <Button tone={props.tone ?? 'main'} type="submit" blocked={busy || !canConfirm}>
                {busy ? `${props.confirm} …` : props.confirm}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

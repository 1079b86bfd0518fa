import type { ComponentProps, MouseEvent } from 'react';
import styles from './button.module.css';

/** What a button does: the main action of a place, an action that cannot be undone, or another one. */
export type Tone = 'main' | 'danger' | 'quiet' | 'plain';

/** The classes of a button, for links that look like one. */
export const buttonClass = (tone: Tone = 'plain') => `${styles.button} ${styles[tone]}`;

type ButtonProps = ComponentProps<'button'> & {
  tone?: Tone;
  /**
   * Whether a press does nothing now, for example while its call is in flight. Unlike a disabled button, it keeps the focus
   * of the keyboard. As with a disabled one, Enter in a field does not submit its form.
   */
  blocked?: boolean;
};

export function Button({ tone = 'plain', blocked = false, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-disabled={blocked || undefined}
      {...rest}
      className={buttonClass(tone)}
      onClick={blocked ? refuse : onClick}
    />
  );
}

/** Enter in a field is a click on the button that submits its form. */
const refuse = (event: MouseEvent) => event.preventDefault();

import type { ComponentProps } from 'react';
import styles from './button.module.css';

/** What a button does: the main action of a place, an action that cannot be undone, or another one. */
export type Tone = 'main' | 'danger' | 'quiet' | 'plain';

/** The classes of a button, for links that look like one. */
export const buttonClass = (tone: Tone = 'plain') => `${styles.button} ${styles[tone]}`;

export function Button({ tone = 'plain', ...rest }: ComponentProps<'button'> & { tone?: Tone }) {
  return <button type="button" {...rest} className={buttonClass(tone)} />;
}

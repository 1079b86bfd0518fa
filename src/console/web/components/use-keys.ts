import { useEffect, useEffectEvent } from 'react';
import { isTyping } from './is-typing.ts';

/** Listens for keys in the whole page while `isOn`. */
export function useKeys(pressed: (event: KeyboardEvent) => void, { isOn = true, capture = false } = {}): void {
  const latest = useEffectEvent(pressed);
  useEffect(() => {
    if (!isOn) return;
    const listener = (event: KeyboardEvent) => latest(event);
    document.addEventListener('keydown', listener, { capture });
    return () => document.removeEventListener('keydown', listener, { capture });
  }, [isOn, capture]);
}

/** Listens for shortcuts: keys without Control, Alt or Meta that do not write a text. */
export const useShortcuts = (pressed: (event: KeyboardEvent) => void, options?: Parameters<typeof useKeys>[1]): void =>
  useKeys((event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event)) pressed(event);
  }, options);

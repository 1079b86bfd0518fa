import { type RefObject, useEffect } from 'react';
import { isTyping } from '../../../components/is-typing.ts';

/** `j` and `k` move the focus to the next and previous row's link, which has the attribute `data-row`. */
export function useRowKeys(body: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key !== 'j' && event.key !== 'k') return;
      const links: Element[] = [...(body.current?.querySelectorAll('[data-row]') ?? [])];
      const at = document.activeElement === null ? -1 : links.indexOf(document.activeElement);
      const next = event.key === 'j' ? at + 1 : Math.max(at - 1, 0);
      const link = links[Math.min(next, links.length - 1)];
      if (link instanceof HTMLElement) link.focus();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [body]);
}

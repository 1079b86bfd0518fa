import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useShortcuts } from '../components/use-keys.ts';
import { usePlaces } from './places.ts';
import styles from './shortcuts.module.css';

const all: [string, string][] = [
  ['/', 'Search on this page, or the events'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['p', 'Show the answer beside the list'],
  ['x', 'Select the row'],
  ['r', 'Replay the event'],
  ['g o, g i, g e, g r', 'Overview, incidents, events, rejected webhooks'],
  ['g a, g l, g b, g m', 'Accounts, audit log, backups, maintenance'],
  ['?', 'These shortcuts'],
  ['Esc', 'Close'],
];

/** Gives the focus to the search of the page, or to its first filter that is a text. False if it has none. */
function focusSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>('input[type="search"], search input');
  search?.focus();
  return search !== null;
}

/** Waits for the code of a page that was opened. Who has gone elsewhere meanwhile keeps the focus. */
function focusSearchSoon(): void {
  if (focusSearch()) return;
  const goneOn = new AbortController();
  const end = () => {
    observer.disconnect();
    goneOn.abort();
  };
  const observer = new MutationObserver(() => focusSearch() && end());
  observer.observe(document.body, { childList: true, subtree: true });
  const until = { capture: true, signal: goneOn.signal };
  document.addEventListener('pointerdown', end, until);
  document.addEventListener('keydown', ({ key }) => ['Tab', 'Escape'].includes(key) && end(), until);
}

/** Listens for the shortcuts of all pages, and shows them. `g` begins those that open a page. */
export function Shortcuts() {
  const [shown, setShown] = useState(false);
  const navigate = useNavigate();
  const places = usePlaces();
  const afterG = useRef(false);
  useShortcuts(
    (event) => {
      const page = afterG.current ? places.find(({ key }) => key === event.key) : undefined;
      afterG.current = event.key === 'g';
      if (page) {
        // The letter is no shortcut of the page that is left.
        event.stopPropagation();
        void navigate({ to: page.to });
      } else if (event.key === '?') setShown(true);
      else if (event.key === '/') {
        event.preventDefault();
        if (!focusSearch()) void navigate({ to: '/events' }).then(focusSearchSoon);
      }
    },
    // Before the shortcuts of the page.
    { capture: true },
  );
  const close = () => setShown(false);
  return (
    <ConfirmDialog open={shown} title="Keyboard" confirm="Close" onConfirm={close} onClose={close}>
      <dl className={`lines ${styles.list}`}>
        {all.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </ConfirmDialog>
  );
}

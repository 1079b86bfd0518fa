import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { useShortcuts } from '../components/use-keys.ts';
import styles from './shortcuts.module.css';

/** Shortcuts of all pages. `g` begins those that open a page. */
const pages = {
  o: '/',
  e: '/events',
  r: '/rejected',
  a: '/accounts',
  l: '/audit',
  b: '/backups',
  m: '/maintenance',
} as const;

const all: [string, string][] = [
  ['/', 'Search events'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['r', 'Replay the event'],
  ['g o, g e, g r', 'Overview, events, rejected webhooks'],
  ['g a, g l, g b, g m', 'Accounts, audit log, backups, maintenance'],
  ['?', 'These shortcuts'],
  ['Esc', 'Close'],
];

/** Listens for the shortcuts of all pages, and shows them. */
export function Shortcuts() {
  const [shown, setShown] = useState(false);
  const navigate = useNavigate();
  const afterG = useRef(false);
  useShortcuts(
    (event) => {
      const page = afterG.current ? pages[event.key as keyof typeof pages] : undefined;
      afterG.current = event.key === 'g';
      if (page !== undefined) {
        // The letter is no shortcut of the page that is left.
        event.stopPropagation();
        void navigate({ to: page });
      } else if (event.key === '?') setShown(true);
      else if (event.key === '/') {
        event.preventDefault();
        const search = document.querySelector<HTMLInputElement>('input[type="search"]');
        if (search) search.focus();
        else void navigate({ to: '/events' });
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

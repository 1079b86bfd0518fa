import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { LogOut, Menu } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSession, useToken } from '../api/session.ts';
import { token } from '../api/token.ts';
import { Button } from '../components/button.tsx';
import { useKeys } from '../components/use-keys.ts';
import { Banners } from './banners.tsx';
import { usePlaces } from './places.ts';
import { chooseScheme, readScheme, type Scheme } from './scheme.ts';
import styles from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';
import { SignIn } from './sign-in.tsx';
import { Toasts } from './toasts.tsx';

/** What all pages have in common: navigation, banners, messages and shortcuts. Without a token it asks for one. */
export function Shell() {
  const given = useToken();
  return (
    <>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      {given === null ? <SignIn /> : <SignedIn />}
      <Toasts />
    </>
  );
}

function SignedIn() {
  const [open, setOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a narrow window closes when a page opens
  useEffect(() => setOpen(false), [path]);
  const places = usePlaces();
  const menu = useRef<HTMLButtonElement>(null);
  useKeys(
    ({ key }) => {
      if (key !== 'Escape') return;
      setOpen(false);
      menu.current?.focus();
    },
    { isOn: open },
  );
  return (
    <div className={styles.frame}>
      <header className={styles.bar}>
        <Button ref={menu} tone="quiet" aria-expanded={open} aria-controls="places" onClick={() => setOpen(!open)}>
          <Menu /> Menu
        </Button>
        <Link to="/" className={styles.home}>
          Webhook gateway
        </Link>
      </header>
      <aside id="places" aria-label="Console" className={styles.side} data-open={open}>
        <Link to="/" className={styles.home}>
          <img src={new URL('../icon.svg', import.meta.url).href} alt="" width="22" height="22" />
          Webhook gateway
        </Link>
        <nav aria-label="Pages">
          {places.map(({ to, name, icon: Icon }) => (
            <Link key={to} to={to} className={styles.place} activeOptions={{ exact: to === '/', includeSearch: false }}>
              <Icon /> {name}
            </Link>
          ))}
        </nav>
        <Account />
      </aside>
      <main id="content" tabIndex={-1} className={styles.content}>
        <Banners />
        <Outlet />
      </main>
      <Shortcuts />
    </div>
  );
}

/** What a token with a scope sees. */
const scopeText = (scope: { app_key: string } | { account_id: string }) =>
  'app_key' in scope ? `only ${scope.app_key}` : 'only one account';

function Account() {
  const { data } = useSession();
  const [scheme, setScheme] = useState(readScheme);
  return (
    <div className={styles.account}>
      {data && (
        <p title={`The token ${data.name} has the role ${data.role}`}>
          {data.name} <span className={styles.role}>{data.role}</span>
          {data.scope && <span className={styles.scope}>{scopeText(data.scope)}</span>}
        </p>
      )}
      <label>
        <span className="visually-hidden">Colours</span>
        <select
          value={scheme}
          onChange={({ target }) => {
            const chosen = target.value as Scheme;
            chooseScheme(chosen);
            setScheme(chosen);
          }}
        >
          <option value="system">System colours</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <Button tone="quiet" onClick={() => token.clear()}>
        <LogOut /> Sign out
      </Button>
    </div>
  );
}

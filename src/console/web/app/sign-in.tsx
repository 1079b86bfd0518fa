import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answer, api } from '../api/client.ts';
import { ApiProblem } from '../api/problem.ts';
import { isToken, token } from '../api/token.ts';
import { Button } from '../components/button.tsx';
import fields from '../components/field.module.css';
import { Notice } from '../components/notice.tsx';
import { submits } from '../components/submits.ts';
import styles from './sign-in.module.css';

/** No browser sends other characters in a header. */
const noToken = new ApiProblem({
  status: 401,
  title: 'A valid admin token is required',
  detail: 'an admin token contains only printable ASCII characters',
});

/** Asks for an admin token, and keeps it for this tab when the gateway accepts it. */
export function SignIn() {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState(token.refusal);
  const [busy, setBusy] = useState(false);
  const client = useQueryClient();
  useEffect(() => {
    document.title = 'Sign in · Webhook gateway';
    // What the last user has read.
    client.clear();
    field.current?.focus();
  }, [client]);
  const signIn = async (given: string) => {
    setBusy(true);
    setProblem(null);
    try {
      if (!isToken(given)) throw noToken;
      await answer(api.me.get({ headers: { 'x-admin-token': given } }));
      token.set(given);
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error.message : null);
      field.current?.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <main id="content" className={styles.page}>
      <form
        className={styles.form}
        onSubmit={submits(() => {
          // A pasted token may have spaces around it.
          void signIn(field.current?.value.trim() ?? '');
        })}
      >
        <h1>Sign in</h1>
        <p className="aside">
          With an admin token: <code>npm start</code> prints one, or the file that has it; otherwise it is{' '}
          <code>ADMIN_TOKEN</code>. This tab keeps it until you sign out or close it.
        </p>
        {/* For password managers, which store a password only together with a user name. */}
        <input type="text" autoComplete="username" value="webhook-gateway" readOnly hidden />
        <div className={fields.field}>
          <label htmlFor="token">Admin token</label>
          <input
            ref={field}
            id="token"
            type="password"
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            required
          />
        </div>
        {problem && (
          <div role="alert">
            <Notice tone="bad">{problem}.</Notice>
          </div>
        )}
        <Button tone="main" type="submit" blocked={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </Button>
      </form>
    </main>
  );
}

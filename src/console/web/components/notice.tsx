import { CircleAlert, CircleCheck, Clock, Inbox, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/problem.ts';
import { Button } from './button.tsx';
import { Moment } from './moment.tsx';
import styles from './notice.module.css';

const icons = { bad: CircleAlert, good: CircleCheck, open: Clock, calm: Info };

/** A message in its place on the page. */
export function Notice({ tone = 'calm', children }: { tone?: 'calm' | 'bad' | 'good' | 'open'; children: ReactNode }) {
  const Icon = icons[tone];
  return (
    <div className={`spread ${styles.notice}`} data-tone={tone}>
      <Icon className={styles.icon} />
      {children}
    </div>
  );
}

interface ProblemNoticeProps {
  error: unknown;
  retry?: () => void;
  /** When that was read which the page still shows, in ms since 1970; 0 if it shows nothing. */
  shownFromMs?: number;
}

/** A failed call, with a button that repeats it. */
export function ProblemNotice({ error, retry, shownFromMs = 0 }: ProblemNoticeProps) {
  const problem = error instanceof ApiProblem ? error : null;
  return (
    <div className={`spread ${styles.notice}`} data-tone="bad" role="alert">
      <CircleAlert className={styles.icon} />
      <div>
        <strong>{problem?.title ?? 'Something went wrong in this page'}</strong>
        {/* The detail of a problem with fields repeats them. */}
        {!problem?.errors.length && <p>{problem?.detail ?? String(error)}</p>}
        {problem?.errors.map(({ path, message }) => (
          <p key={path}>
            <code>{path}</code> {message}
          </p>
        ))}
        {shownFromMs > 0 && (
          <p>
            What you see is from <Moment iso={new Date(shownFromMs).toISOString()} ago />.
          </p>
        )}
      </div>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** What to do where there is nothing to show. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Inbox />
      <strong>{title}</strong>
      {children}
    </div>
  );
}

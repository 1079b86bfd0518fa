import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';
import { buttonClass } from '../../components/button.tsx';
import { Panel } from '../../components/page.tsx';
import styles from './overview.module.css';

/** What to do where there is no account yet. */
export function FirstSteps() {
  const mayCreate = useMay('admin');
  return (
    <Panel title="Receive a first webhook">
      <div className="spread">
        <ol className={styles.steps}>
          <li>Create an account: it has an address for one provider, and the URL of your service.</li>
          <li>Paste its address at the provider, or let this page send a sample.</li>
          <li>See the webhook arrive here, and how your service answered.</li>
        </ol>
        {mayCreate ? (
          <Link to="/accounts" search={{ new: 'generic' }} className={buttonClass('main')}>
            Create the first account
          </Link>
        ) : (
          <p>Your token may not create accounts. Ask someone whose token has the role admin.</p>
        )}
      </div>
    </Panel>
  );
}

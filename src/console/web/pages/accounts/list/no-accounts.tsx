import { Link } from '@tanstack/react-router';
import { useMay } from '../../../api/session.ts';
import { buttonClass } from '../../../components/button.tsx';
import { Empty } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import styles from './list.module.css';

/** The list before the first account. */
export function NoAccounts() {
  const mayAdmin = useMay('admin');
  return (
    <Panel>
      <Empty title="There is no account yet.">
        <p>An account receives the webhooks of one provider and delivers them to one service of yours.</p>
        {mayAdmin ? (
          <div className={`buttons ${styles.starts}`}>
            <Link to="/accounts" search={{ new: 'generic' }} className={buttonClass('main')}>
              Try it with a sample webhook
            </Link>
            <Link to="/accounts" search={{ new: 'choose' }} className={buttonClass()}>
              Choose a provider
            </Link>
          </div>
        ) : (
          <p>Ask a colleague whose token has the role admin to create one.</p>
        )}
      </Empty>
    </Panel>
  );
}

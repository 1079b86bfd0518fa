import { Link, useParams } from '@tanstack/react-router';
import { ApiProblem } from '../../api/problem.ts';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { Page } from '../../components/page.tsx';
import { AccountDetails } from './account/account-details.tsx';
import { useAccount } from './data/queries.ts';

/** One account: facts, editing, how its consumer fares, its secrets and its destinations. */
export function AccountPage() {
  const { accountId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useAccount(accountId);
  if (error instanceof ApiProblem && error.status === 404) return <NoAccount />;
  if (data) return <AccountDetails key={data.id} account={data} />;
  return <Page title="Account">{error && <ProblemNotice error={error} retry={() => void refetch()} />}</Page>;
}

function NoAccount() {
  return (
    <Page title="Account not found">
      <Empty title="There is no account with this id.">
        <p>It may have been deleted. Its events stay readable.</p>
        <p>
          <Link to="/accounts">All accounts</Link> · <Link to="/events">Events</Link>
        </p>
      </Empty>
    </Page>
  );
}

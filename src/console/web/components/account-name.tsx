import { Link } from '@tanstack/react-router';

interface Named {
  provider: string;
  account_slug: string;
}

/** The account of an event by provider and slug. */
export const AccountName = ({ of }: { of: Named }) => (
  <bdi>
    {of.provider}/{of.account_slug}
  </bdi>
);

/** The account of an event, with a link to its page. */
export const AccountLink = ({ of }: { of: Named & { account_id: string } }) => (
  <Link to="/accounts/$accountId" params={{ accountId: of.account_id }}>
    <AccountName of={of} />
  </Link>
);

import { Badge } from '../../../components/badge.tsx';

interface Props {
  account: {
    enabled: boolean;
    skip_signature_verification: boolean;
  };
}

/** What an operator should know of an account at a glance. */
export function AccountState({ account }: Props) {
  const { enabled, skip_signature_verification } = account;
  return (
    <span className="line">
      {enabled ? <Badge state="on" label="enabled" /> : <Badge state="disabled" />}
      {skip_signature_verification && <Badge state="pending" label="unverified" />}
    </span>
  );
}

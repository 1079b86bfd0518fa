import { Badge } from '../../../components/badge.tsx';

interface Props {
  account: {
    enabled: boolean;
    delivery_url: string | null;
    project_delivery_url?: string | null;
    skip_signature_verification: boolean;
  };
}

/** What an operator should know of an account at a glance. */
export function AccountState({ account }: Props) {
  const { enabled, delivery_url, project_delivery_url, skip_signature_verification } = account;
  return (
    <span className="line">
      {enabled ? <Badge state="on" label="enabled" /> : <Badge state="disabled" />}
      {delivery_url === null && !project_delivery_url && <Badge state="pending" label="no delivery URL" />}
      {skip_signature_verification && <Badge state="pending" label="unverified" />}
    </span>
  );
}

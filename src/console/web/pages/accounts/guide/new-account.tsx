import { useProviders } from '../../../api/providers.ts';
import { useSession } from '../../../api/session.ts';
import { Notice, ProblemNotice } from '../../../components/notice.tsx';
import { Page } from '../../../components/page.tsx';
import { shortTitle } from './addresses.ts';
import { ChooseProvider } from './choose-provider.tsx';
import { ProviderGuide } from './provider-guide.tsx';

/** The guided start: from a provider to its first delivered webhook. An unknown provider asks for a choice. */
export function NewAccount({ provider, accountId }: { provider: string; accountId: string | undefined }) {
  const session = useSession();
  const { data, error, refetch } = useProviders();
  const chosen = data?.find(({ name }) => name === provider);
  const title = chosen ? `New account: ${shortTitle(chosen)}` : 'New account';
  return (
    <Page title={title}>
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {session.data && session.data.role !== 'admin' ? (
        <Notice>Your token has the role {session.data.role}. A new account needs a token with the role admin.</Notice>
      ) : (
        <>
          {chosen && <ProviderGuide provider={chosen} accountId={accountId} />}
          {data && !chosen && <ChooseProvider providers={data} />}
        </>
      )}
    </Page>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { answer, api } from '../../../api/client.ts';
import { ProblemNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import { Segments } from '../../../components/segments.tsx';
import { useConsumers } from '../consumers/use-consumers.ts';
import { ConsumerCharts } from './consumer-charts.tsx';

/** The workers write the counts every five seconds. */
const everyMs = 10_000;

/** The API keeps the hours of 31 days. */
const ranges = [
  [24, '24 h'],
  [168, '7 d'],
  [744, '31 d'],
] as const;

/** How the consumers of an account fare over time, all together: attempts by the hour, and how long they take. */
export function ConsumerPanel({ accountId }: { accountId: string }) {
  const { data: consumers } = useConsumers(accountId);
  const several = (consumers?.length ?? 0) > 1;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const hours = ranges.map(([value]) => value).find((value) => String(value) === search.hours) ?? 24;
  const { data, error, refetch } = useQuery({
    queryKey: ['account-consumer', accountId, hours],
    queryFn: ({ signal }) =>
      answer(api.accounts({ account_id: accountId }).consumer.get({ query: { hours }, fetch: { signal } })),
    refetchInterval: everyMs,
    placeholderData: (before) => before,
  });
  const choose = (value: number) => {
    const chosen = value === 24 ? undefined : String(value);
    void navigate({ to: '.', search: { ...search, hours: chosen }, replace: true });
  };
  return (
    <Panel
      title={several ? 'How all its consumers fare' : 'How its consumer fares'}
      actions={<Segments legend="Time range" options={ranges} chosen={hours} onChoose={choose} />}
    >
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data && <ConsumerCharts points={data.points} />}
    </Panel>
  );
}

import { expect, test } from 'vitest';
import { untilInFeed } from '../support/in-feed.ts';
import { proxyTo } from '../support/proxy-to.ts';
import { until } from '../support/until.ts';
import { useGateway } from '../support/use-gateway.ts';
import { startListen, webhooksOf } from './listen-session.ts';

const gateway = useGateway({ worker: false });
const { envOf, accountOf, send } = webhooksOf(() => gateway);

test('events tail shows all accounts in one order, goes on after cut connections, and resumes', async () => {
  const { proxy, url } = await proxyTo(gateway.baseUrl);
  const env = envOf({ baseUrl: url, adminToken: gateway.adminToken });
  const accounts = [await accountOf(), await accountOf()];
  const args = accounts.flatMap((account) => ['--account', account]);
  const sent: string[] = [];
  const sendBoth = async () => {
    for (const account of accounts) sent.push(...(await send(account, 1)));
  };
  await sendBoth();
  const tail = startListen([...args, '--since', '1h', '--json'], env, ['events', 'tail']);
  const shown = (one = tail) =>
    (one.stdout().match(/.+/g) ?? []).map((line) => JSON.parse(line).event.external_id as string);
  await until('the past is shown', () => shown().length === sent.length);
  proxy.cut();
  await sendBoth();
  await until('it has gone on', () => shown().length === sent.length);
  expect(shown()).toEqual(sent);
  expect(await tail.stop()).toBe(130);
  sent.length = 0;
  await sendBoth();
  for (const account of accounts) await untilInFeed(gateway, account, 3);
  const rest = startListen([...args, '--resume', '--no-follow', '--json'], env, ['events', 'tail']);
  expect(await rest.ended, rest.stderr()).toBe(0);
  expect(shown(rest)).toEqual(sent);
  proxy.begin({ kind: 'cut' });
  const away = startListen([...args, '--no-follow'], env, ['events', 'tail']);
  expect(await away.ended).toBe(1);
});

test.each([{ command: ['events', 'tail'] }, { command: ['listen'] }])(
  '$command shows an event whose type has two lines as one line',
  async ({ command }) => {
    const account = await accountOf();
    await send(account, 1, String.raw`x\n2026-11-30T10:00:00.000Z  order.paid  generic/forged  01a1fb5c`);
    const session = startListen(['--account', account, '--since', '1h'], envOf(), command);
    await until('the event is shown', () => session.stdout().includes('order.paid'));
    expect(session.stdout().split('\n')).toEqual([expect.stringContaining(String.raw`x\x0a2026-11-30T10`), '']);
  },
);

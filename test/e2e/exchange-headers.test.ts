import { describe, expect, test } from 'vitest';
import type { Reply } from '../support/consumer.ts';
import { slowDelaysMs } from '../support/gateway.ts';
import { secretText } from '../support/secrets.ts';
import { useStage } from '../support/situations.ts';

// The headers that an attempt has sent and got (docs/delivery.md), in an api that delivers, and by workflows alone.

type Lines = [name: string, value: string][];

const refuse: Reply = (response) => {
  response.setHeader('set-cookie', ['session=1', 'theme=dark']);
  response.setHeader('X-Trace', 'abc');
  response.writeHead(503, { 'retry-after': '0' }).end('busy');
};

describe.each([['an api'], ['workflows']])('with first attempts by %s', (by) => {
  const stage = useStage({ delaysMs: [10, ...slowDelaysMs.slice(1)], apiDelivers: by === 'an api' });
  const settled = (id: string, attempts: number) =>
    stage.gateway.admin.eventually(id, ({ delivery_history }) => delivery_history.length >= attempts);

  test('a failed attempt and the one after it show what was sent and answered', async () => {
    const { gateway } = stage;
    const receiver = await stage.consumer(refuse, (response) => response.writeHead(200, { 'x-done': 'yes' }).end());
    const account = await gateway.admin.createAccount({ delivery_url: receiver.url, delivery_secret: secretText('d') });
    const { body } = await gateway.send(account, '{"id":1}');
    const { delivery_history } = await settled(body.id, 2);
    for (const [n, delivery] of receiver.deliveries.entries()) {
      const sent: Lines = [];
      for (let at = 0; at < delivery.rawHeaders.length; at += 2)
        sent.push([delivery.rawHeaders[at] ?? '', delivery.rawHeaders[at + 1] ?? '']);
      const byClient = ['host', 'connection', 'content-length'];
      // Everything that came, in its order, with the signature.
      expect(delivery_history[n].request_headers).toEqual(sent.filter(([name]) => !byClient.includes(name)));
      expect(sent.map(([name]) => name)).toContain('webhook-signature');
    }
    const answered = (name: string) =>
      (delivery_history[0].response_headers as Lines).filter(([one]) => one === name).map(([, value]) => value);
    expect(answered('set-cookie')).toEqual(['[masked]', '[masked]']);
    expect([answered('x-trace'), answered('retry-after')]).toEqual([['abc'], ['0']]);
    expect(delivery_history[1].response_headers).toContainEqual(['x-done', 'yes']);
  });

  test('credentials are masked, also short ones, and a redirect shows its host only', async () => {
    const { gateway } = stage;
    const receiver = await stage.consumer((response, { headers }) =>
      response
        .writeHead(302, {
          location: `https://other.example/in?token=${secretText('t')}`,
          'x-echo': headers.authorization,
        })
        .end(),
    );
    const url = receiver.url.replace('http://', `http://user:${secretText('password')}@`);
    const account = await gateway.admin.createAccount({ delivery_url: url });
    const authentication = { type: 'header', name: 'X-Api-Key', value: 'k1' };
    const set = await gateway.admin.request('PATCH', `/admin/accounts/${account.id}/consumers/default`, {
      authentication,
    });
    expect(set.status, JSON.stringify(set.body)).toBe(200);
    const { body } = await gateway.send(account, '{"id":1}');
    const { delivery_history } = await settled(body.id, 1);
    expect(receiver.deliveries[0]?.headers).toMatchObject({ 'x-api-key': 'k1' });
    const sent = new Map(
      (delivery_history[0].request_headers as Lines).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(sent.get('x-api-key')).toBe('[masked]');
    expect(sent.get('authorization')).toBe('[masked]');
    const answered = new Map<string, string>(delivery_history[0].response_headers);
    expect(answered.get('location')).toBe('https://other.example/[masked]');
    expect(answered.get('x-echo')).toMatch(/^Basic \[masked\]=*$/);
  });

  test('a first attempt that succeeds keeps none; a retry and a replay of the event do', async () => {
    const { gateway } = stage;
    const receiver = await stage.consumer((response) => response.writeHead(200, { 'x-done': 'yes' }).end());
    const account = await gateway.admin.createAccount({ delivery_url: receiver.url });
    const { body } = await gateway.send(account, '{"id":1}');
    const first = await settled(body.id, 1);
    expect(first.delivery_history[0]).toMatchObject({ request_headers: null, response_headers: null });
    expect((await gateway.admin.post(`/admin/events/${body.id}/replay`)).status).toBe(202);
    const { delivery_history } = await settled(body.id, 2);
    expect(delivery_history[1].response_headers).toContainEqual(['x-done', 'yes']);
    expect(delivery_history[1].request_headers).toContainEqual(['x-webhook-replay', 'true']);
  });

  test('an attempt that finds no connection has none, and one without an answer has what was sent', async () => {
    const { gateway } = stage;
    const receiver = await stage.consumer((response) => response.destroy());
    const [away, silent] = [
      await gateway.admin.createAccount({ delivery_url: 'http://127.0.0.1:1/' }),
      await gateway.admin.createAccount({ delivery_url: receiver.url }),
    ];
    const [toAway, toSilent] = [await gateway.send(away, '{"id":1}'), await gateway.send(silent, '{"id":1}')];
    const [nothing] = (await settled(toAway.body.id, 2)).delivery_history;
    expect(nothing).toMatchObject({ outcome: 'connection_refused', request_headers: null, response_headers: null });
    const [unanswered] = (await settled(toSilent.body.id, 2)).delivery_history;
    expect(unanswered).toMatchObject({ outcome: 'connection_error', response_headers: null });
    expect(unanswered.request_headers).toContainEqual(['webhook-id', toSilent.body.id]);
  });

  test('a long value is cut, and nothing is left out', async () => {
    const { gateway } = stage;
    const receiver = await stage.consumer((response) => response.writeHead(500, { 'x-long': 'y'.repeat(9_000) }).end());
    const account = await gateway.admin.createAccount({ delivery_url: receiver.url });
    const headers = Object.fromEntries([1, 2, 3, 4].map((n) => [`x-long-${n}`, 'x'.repeat(2_000)]));
    const { body } = await gateway.send(account, '{"id":1}', headers);
    const [attempt] = (await settled(body.id, 1)).delivery_history;
    for (const n of [1, 2, 3, 4])
      expect(attempt.request_headers).toContainEqual([`x-long-${n}`, `${'x'.repeat(1_023)}…`]);
    expect(attempt.request_headers).toContainEqual(['webhook-id', body.id]);
    expect(attempt.response_headers).toContainEqual(['x-long', `${'y'.repeat(1_023)}…`]);
  });

  test('a secret that the consumer repeats as UTF-8 is masked, and other UTF-8 is shown', async () => {
    const { gateway } = stage;
    const secret = `${secretText('s')}-pässwort`;
    const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
    const receiver = await stage.consumer((response) =>
      response.writeHead(500, { 'x-echo': bytes(`=${secret}=`), 'x-city': bytes('Zürich') }).end(),
    );
    const account = await gateway.admin.createAccount({ delivery_url: receiver.url, delivery_secret: secret });
    const { body } = await gateway.send(account, '{"id":1}');
    const [attempt] = (await settled(body.id, 1)).delivery_history;
    const answered = new Map<string, string>(attempt.response_headers);
    expect([answered.get('x-echo'), answered.get('x-city')]).toEqual(['=[masked]=', 'Zürich']);
  });
});

import { expect, test } from 'vitest';
import { eventStates, stateText } from '../../../src/events/event-state.ts';
import { useGateway } from '../../support/use-gateway.ts';
import { happenings, type Subject } from './happenings.ts';
import { type State, wordsOfPage } from './page.ts';
import { broughtTo, page } from './reach.ts';

const words = wordsOfPage();
const gateway = useGateway({ worker: false });

const pending = page.states.filter((state) => state.endsWith('/ pending'));

/** The word and the text of an event by its page. All lists must agree: its own filter finds it, and no other one does. */
async function shown({ id, appKey }: Subject): Promise<{ state: string; text: string }> {
  const event = await gateway.admin.event(id);
  const found = await Promise.all(
    eventStates.map(async (state) => {
      const { body } = await gateway.admin.request('GET', `/admin/events?app_key=${appKey}&state=${state}`);
      const { matched, left_out } = (
        await gateway.admin.post('/admin/events/bulk', {
          action: 'replay',
          filter: { app_key: appKey, state },
          dry_run: true,
        })
      ).body;
      expect([state, matched, left_out]).toEqual([state, body.length, 0]);
      return body.length === 0 ? [] : [state];
    }),
  );
  expect(found.flat()).toEqual([event.state]);
  const [item] = (await gateway.admin.request('GET', `/admin/events?app_key=${appKey}`)).body;
  const { state, schedule, waits_for } = item;
  expect({ state, schedule, waits_for }).toEqual({
    state: event.state,
    schedule: event.schedule,
    waits_for: event.waits_for,
  });
  return { state: event.state, text: stateText(event) };
}

test('the page has every state and every word, and nothing else', () => {
  expect([...words.of.keys()].sort()).toEqual([...page.states].sort());
  expect([...words.shown.keys()]).toEqual([...eventStates]);
  expect(new Set([...words.of.values()].flat())).toEqual(new Set(eventStates));
});

test.each(page.states.filter((state) => !pending.includes(state)))('%s has the word of the page', async (state) => {
  const { state: word, text } = await shown(await broughtTo(gateway, state));
  expect([word]).toEqual(words.of.get(state));
  expect(words.shown.get(word)).toEqual([text]);
});

const happen = async (what: string, subject: Subject, which = 0) => {
  await happenings[what]?.[which]?.(gateway, subject);
};

/** What an event waits for, besides nothing: how it begins to and how it ends, and its text. */
const reasons: Record<string, [begin: (subject: Subject) => Promise<unknown>, end: (subject: Subject) => unknown]> = {
  'waiting (paused)': [
    () => gateway.admin.post('/admin/delivery/pause'),
    () => gateway.admin.post('/admin/delivery/resume'),
  ],
  'waiting (account disabled)': [
    ({ accountId }) => gateway.admin.request('PATCH', `/admin/accounts/${accountId}`, { enabled: false }),
    ({ accountId }) => gateway.admin.request('PATCH', `/admin/accounts/${accountId}`, { enabled: true }),
  ],
  'waiting (consumer disabled)': [
    ({ accountId }) =>
      gateway.admin.request('PATCH', `/admin/accounts/${accountId}/consumers/default`, { enabled: false }),
    ({ accountId }) =>
      gateway.admin.request('PATCH', `/admin/accounts/${accountId}/consumers/default`, { enabled: true }),
  ],
};

/** The texts of a pending event: as it is, while it waits for each reason, and after each. */
async function textsOf(subject: Subject): Promise<string[]> {
  const texts = [await shown(subject)];
  for (const [text, [begin, end]] of Object.entries(reasons)) {
    await begin(subject);
    // The attempt that becomes due finds that it may not be made.
    await happen('deliveries are paused or resumed', subject, 1);
    const waiting = await shown(subject);
    expect(waiting).toEqual({ state: 'waiting', text });
    texts.push(waiting);
    await end(subject);
  }
  return texts.map(({ text }) => text);
}

test.each(pending)(
  '%s is waiting, or retrying after a failed attempt, and waits for each reason',
  async (state: State) => {
    const subject = await broughtTo(gateway, state);
    const texts = await textsOf(subject);
    await happen('a scheduled attempt fails, and it is not the last', subject);
    const [retrying = '', ...waiting] = await textsOf(subject);
    const { schedule } = await gateway.admin.event(subject.id);
    expect(retrying).toBe(`retrying ${schedule.made}/${schedule.of}`);
    expect(texts).toEqual(words.shown.get('waiting'));
    expect(waiting).toEqual(Object.keys(reasons));
    expect(words.of.get(state)).toEqual(['waiting', 'retrying']);
    expect(words.shown.get('retrying')).toEqual(['retrying 3/10']);
  },
);

test('`schedule` counts by the schedule of the consumer, and not below what was made', async () => {
  const subject = await broughtTo(gateway, 'received / pending');
  const path = `/admin/accounts/${subject.accountId}/consumers/default`;
  const schedule = async () => (await gateway.admin.event(subject.id)).schedule;
  expect(await schedule()).toEqual({ made: 0, of: 10 });
  await gateway.admin.request('PATCH', path, { schedule: ['1h', '2h'] });
  expect(await schedule()).toEqual({ made: 0, of: 3 });
  await gateway.rows('update events set attempts = 4, scheduled_attempts = 4 where id = $1', [subject.id]);
  expect(await schedule()).toEqual({ made: 4, of: 4 });
  expect(stateText(await gateway.admin.event(subject.id))).toBe('retrying 4/4');
  await gateway.admin.post(`/admin/events/${subject.id}/ack`);
  expect(await schedule()).toBeNull();
});

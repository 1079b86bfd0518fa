import { expect, test } from 'vitest';
import { deliveryStatuses, eventStatuses } from '../../../src/events/event.ts';
import { useGateway } from '../../support/use-gateway.ts';
import { type Happening, happenings, type Subject, stateOf } from './happenings.ts';
import { rowsOfFiles, type State } from './page.ts';
import { broughtTo, page, ways } from './reach.ts';

const gateway = useGateway({ worker: false });

const eventIn = (state: State) => broughtTo(gateway, state);

/** The state of an event after a change; after a refusal, checks that the state is the same and returns the refusal. */
async function outcome(state: State, subject: Subject, happening: Happening): Promise<string> {
  const refusal = await happening(gateway, subject);
  const now = await stateOf(gateway, subject);
  if (refusal === undefined) return now;
  expect(now).toBe(state);
  return refusal;
}

const called = (what: string): Happening => {
  const [happening] = happenings[what] ?? [];
  if (!happening) throw new Error(`nothing is called ${what}`);
  return happening;
};

test('the page names all changes and all states, and a path to each state', () => {
  expect([...page.after.keys()].sort()).toEqual(Object.keys(happenings).sort());
  expect(page.beginnings).toEqual(['received / pending', 'rejected / null', 'enqueued / null']);
  expect([...ways.keys()].sort()).toEqual([...page.states].sort());
  expect(new Set(page.states).size).toBe(page.states.length);
  const both = page.states.map((state) => state.replace(', by a person', '').split(' / '));
  expect(new Set(both.map(([status]) => status))).toEqual(new Set(eventStatuses));
  expect(new Set(both.map(([, delivery]) => delivery))).toEqual(new Set([...deliveryStatuses, 'null']));
  for (const [what, results] of page.after) expect([...results.keys()], what).toEqual(page.states);
});

test('each change has a row in the docstring of a file, and each file has a row', () => {
  const files = rowsOfFiles();
  // The common part of operators' commands: how they are applied and refused.
  files.delete('src/events/transitions/operation.ts');
  expect([...files].filter(([, rows]) => rows.length === 0)).toEqual([]);
  const beginnings = [
    ...['the webhook is verified and stored', 'it is stored, and no consumer wants it'],
    'the webhook is not verified',
  ];
  expect(new Set([...files.values()].flat())).toEqual(new Set([...page.after.keys(), ...beginnings]));
});

test.each(page.states)('%s: every change leads to the state on the page', async (state) => {
  // A pause applies to all events, so it is tested separately.
  const pause = 'deliveries are paused or resumed';
  const found: Record<string, string> = {};
  const wanted: Record<string, string> = {};
  const happen = async (what: string) => {
    for (const [index, happening] of (happenings[what] ?? []).entries()) {
      const name = index === 0 ? what : `${what} (${index + 1})`;
      wanted[name] = page.after.get(what)?.get(state) ?? '';
      found[name] = await outcome(state, await eventIn(state), happening);
    }
  };
  await Promise.all([...page.after.keys()].filter((what) => what !== pause).map(happen));
  await happen(pause);
  expect(found).toEqual(wanted);
});

const ofVerified = page.states.filter((state) => !state.endsWith('/ null'));

test.each(ofVerified)(
  '%s of a deleted account: replay and retry are refused, and replay-failed changes nothing',
  async (state) => {
    const subject = await eventIn(state);
    await called('the account or the consumer is deleted')(gateway, subject);
    const now = await stateOf(gateway, subject);
    for (const what of ['replay', 'retry'])
      expect(await outcome(now, subject, called(what)), what).toBe('409 conflict');
    for (const what of ['replay-failed', 'a duplicate'])
      for (const again of happenings[what] ?? []) expect(await outcome(now, subject, again), what).toBe(now);
  },
);

test('a retry is refused while the account is disabled, and while deliveries are paused', async () => {
  const retryable = page.states.filter((state) => page.after.get('retry')?.get(state) === state);
  expect(retryable.length).toBeGreaterThan(5);
  for (const state of retryable) {
    const subject = await eventIn(state);
    const account = `/admin/accounts/${subject.accountId}`;
    await gateway.admin.request('PATCH', account, { enabled: false });
    expect(await outcome(state, subject, called('retry')), state).toBe('409 conflict');
    await gateway.admin.request('PATCH', account, { enabled: true });
    await gateway.admin.post('/admin/delivery/pause', { reason: 'a test' });
    expect(await outcome(state, subject, called('retry')), state).toBe('409 conflict');
    await gateway.admin.post('/admin/delivery/resume');
    expect(await outcome(state, subject, called('retry')), state).toBe(state);
  }
});

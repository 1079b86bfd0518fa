import { expect } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';
import { begin, happenings, type Subject, stateOf } from './happenings.ts';
import { changesOfPage, type State, waysTo } from './page.ts';

export const page = changesOfPage();
export const ways = waysTo(page);

/** Creates an event and brings it into a state by the changes that lead to it on the page. */
export async function broughtTo(gateway: TestGateway, state: State): Promise<Subject> {
  const way = ways.get(state);
  if (!way) throw new Error(`nothing leads to ${state}`);
  const subject = await begin(gateway, way.from);
  for (const what of way.through) await happenings[what]?.[0]?.(gateway, subject);
  expect(await stateOf(gateway, subject), way.through.join(', ')).toBe(state);
  return subject;
}

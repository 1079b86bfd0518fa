import { contentNeeds, together } from '../../conditions/content-needs.ts';
import { evaluate } from '../../conditions/evaluate.ts';
import { parsedCondition } from '../../conditions/parsed.ts';
import type { Variables } from '../../conditions/tree.ts';
import { Work } from '../../conditions/work.ts';
import { consumerVariables, type WebhookVariables } from '../../consumers/condition-variables.ts';
import type { Sql } from '../../database/sql.ts';
import { idRange } from '../id-range.ts';
import { contentsFor } from '../stored-contents.ts';

const readVariables = {
  name: 'read_webhook_variables',
  text: `
    select id, provider, account_slug as "accountSlug", app_key as "appKey", event_type as "eventType", external_id as "externalId"
    from events where id = any($1::uuid[]) and id between $2 and $3`,
};

type Row = WebhookVariables & { id: string };

/** The webhooks that meet all conditions. */
export interface Met {
  ids: string[];
  /** The webhook after which it stopped; null: it looked at all. */
  stoppedAt: string | null;
  /** How many needed too much work for a condition, which then counts as met. */
  exceeded: number;
}

/**
 * Which stored webhooks meet all conditions. It stops at the limits, but looks at one webhook at least.
 *
 * @param webhooks ids of first events, sorted
 * @param conditions null: each webhook meets it
 */
export async function metConditions(
  sql: Sql,
  webhooks: readonly string[],
  conditions: readonly (string | null)[],
  limits: { most: number; timeMs: number },
): Promise<Met> {
  // As for a new webhook: a condition that does not parse was stored by another version of the gateway, and counts as met.
  const parsed = conditions.flatMap((text) => {
    const one = text === null ? null : parsedCondition(text);
    return one?.ok ? [one.condition] : [];
  });
  if (parsed.length === 0 || webhooks.length === 0) {
    const ids = webhooks.slice(0, limits.most);
    return { ids, stoppedAt: ids.length < webhooks.length ? (ids.at(-1) ?? null) : null, exceeded: 0 };
  }
  const endMs = performance.now() + limits.timeMs;
  const rows = await sql.query<Row>(readVariables, [webhooks, ...idRange(webhooks)]);
  const variablesOf = new Map<string, Variables>(rows.map((row) => [row.id, consumerVariables(row)]));
  const ids: string[] = [];
  let exceeded = 0;
  for await (const [id, content] of contentsFor(sql, webhooks, together(parsed.map(contentNeeds)))) {
    const variables = variablesOf.get(id);
    const work = new Work();
    if (variables && parsed.every((condition) => evaluate(condition, variables, content, work))) ids.push(id);
    if (work.exceeded > 0) exceeded++;
    if (id !== webhooks.at(-1) && (ids.length >= limits.most || performance.now() >= endMs))
      return { ids, stoppedAt: id, exceeded };
  }
  return { ids, stoppedAt: null, exceeded };
}

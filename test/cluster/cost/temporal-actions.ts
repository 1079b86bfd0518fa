/**
 * The actions so far by their type, from the metrics of a Temporal server. The server counts what Temporal Cloud bills.
 *
 * @see https://docs.temporal.io/cloud/migrate/estimate-actions
 */
export async function temporalActions(metricsUrl: string): Promise<Map<string, number>> {
  const response = await fetch(metricsUrl);
  if (!response.ok) throw new Error(`${metricsUrl}: ${response.status}`);
  return actionsOf(await response.text());
}

/** The counter `action` in Prometheus' text format, summed over all labels but `action_type`. */
export function actionsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, labels = '', value] of text.matchAll(/^action(?:_total)?\{([^}]*)\} (\S+)$/gm)) {
    const type = /action_type="([^"]*)"/.exec(labels)?.[1] ?? '';
    counts.set(type, (counts.get(type) ?? 0) + Number(value));
  }
  return counts;
}

/** What was added since `before`, per event, without types that were not. */
export function actionsEach(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  events: number,
): Map<string, number> {
  return new Map(
    [...after]
      .map(([type, count]): [string, number] => [type, (count - (before.get(type) ?? 0)) / events])
      .filter(([, each]) => each > 0),
  );
}

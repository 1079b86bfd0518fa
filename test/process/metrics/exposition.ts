import type { RunningRole } from '../../support/running-role.ts';
import { until } from '../../support/until.ts';

/** A metric of an answer of `/metrics`, with its series: labels in their order, and the value. */
export interface ScrapedMetric {
  type: string;
  series: Map<string, number>;
}

/**
 * Reads Prometheus' text format, and fails when a line is not of it, or a metric or a series is there twice.
 */
export function parsed(text: string): Map<string, ScrapedMetric> {
  const metrics = new Map<string, ScrapedMetric>();
  const help = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (comment) {
      const [, kind, name = '', rest = ''] = comment;
      const known = kind === 'HELP' ? help.has(name) : metrics.has(name);
      if (known) throw new Error(`twice: ${line}`);
      if (kind === 'HELP') help.add(name);
      else metrics.set(name, { type: rest, series: new Map() });
      continue;
    }
    const [, name = '', labels = '', value = ''] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (!metric || Number.isNaN(Number(value.replace('+Inf', 'Infinity'))))
      throw new Error(`not of the format: ${line}`);
    const key = `${name}${labels}`;
    if (metric.series.has(key)) throw new Error(`twice: ${line}`);
    metric.series.set(key, Number(value));
  }
  for (const name of metrics.keys()) if (!help.has(name)) throw new Error(`without help: ${name}`);
  return metrics;
}

/** Reads `/metrics` below an address. */
export async function scraped(baseUrl: string): Promise<Map<string, ScrapedMetric>> {
  const response = await fetch(`${baseUrl}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics was answered ${response.status}`);
  return parsed(await response.text());
}

/** The value of one series over several answers, added up; a series that no answer has is an error. */
export function sumOf(answers: readonly Map<string, ScrapedMetric>[], series: string): number {
  const [metric = ''] = series.split('{');
  const name = metric.replace(/_(count|sum|bucket)$/, '');
  const values = answers.flatMap((answer) => (answer.get(metric) ?? answer.get(name))?.series.get(series) ?? []);
  if (values.length === 0) throw new Error(`no answer has ${series}`);
  return values.reduce((sum, value) => sum + value, 0);
}

/** The value of a metric without labels; null when it has none. */
export const gaugeOf = (answer: Map<string, ScrapedMetric>, name: string): number | null =>
  answer.get(name)?.series.get(name) ?? null;

/** The address of the metrics of a process with METRICS_PORT, which it logs. */
export async function metricsOf(role: RunningRole): Promise<string> {
  const [, port] = await role.printed(/"port":(\d+),"msg":"metrics listening"/, 'stderr');
  return `http://127.0.0.1:${port}`;
}

/** Waits for the metrics of Temporal's SDK. A process that is too busy to read them in a second leaves them out once. */
export const sdkIsMeasured = (baseUrl: string) =>
  until('the SDK is measured', async () => (await scraped(baseUrl)).has('temporal_num_pollers'));

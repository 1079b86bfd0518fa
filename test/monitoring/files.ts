import { parse } from 'yaml';
import { z } from 'zod';
import { readProjectFile } from '../docker/files.ts';

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});

/** The alerting rules of deploy/prometheus. */
export const rules = rulesSchema
  .parse(parse(readProjectFile('deploy/prometheus/rules.yml')))
  .groups.flatMap(({ rules: some }) => some);

const panelSchema = z.looseObject({
  id: z.int(),
  type: z.enum(['row', 'timeseries', 'stat']),
  title: z.string(),
  description: z.string().optional(),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  datasource: z.object({ type: z.literal('prometheus'), uid: z.string() }).optional(),
  targets: z
    .array(z.looseObject({ expr: z.string(), legendFormat: z.string(), datasource: z.object({ uid: z.string() }) }))
    .default([]),
});
const dashboardSchema = z.looseObject({
  uid: z.string(),
  schemaVersion: z.int(),
  panels: z.array(panelSchema),
  templating: z.object({
    list: z.array(z.looseObject({ name: z.string(), type: z.string(), definition: z.string().optional() })),
  }),
});

/** The dashboard of deploy/grafana. */
export const dashboard = dashboardSchema.parse(JSON.parse(readProjectFile('deploy/grafana/dashboard.json')));

/** The expressions of all panels, with Grafana's variable for a range filled in; other variables stand in strings. */
export const panelQueries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat }) => ({
    title,
    expr: expr.replaceAll('$__rate_interval', '5m'),
    legends: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? ''),
  })),
);

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readProjectFile } from '../docker/files.ts';
import { anchorsOf } from '../docs/pages.ts';
import { dashboard, panelQueries, rules } from './files.ts';
import { selectedIn } from './promql.ts';

const runbook = readProjectFile('docs/runbook.md');
const names = rules.map(({ alert }) => alert);

describe('the alerts', () => {
  test.each(rules)(
    '$alert has an expression in PromQL, and a section of the runbook',
    ({ alert, expr, annotations }) => {
      expect(selectedIn(expr)).not.toEqual([]);
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(anchorsOf('docs/runbook.md')).toContain(alert.toLowerCase());
    },
  );

  test('have each a section that says its severity, what it means, what to look at and what to do', () => {
    const sections = runbook.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(names);
    for (const { alert, labels } of rules) {
      const section = sections.find((text) => text.startsWith(`${alert}\n`)) ?? '';
      expect(section).toMatch(new RegExp(`^${alert}\n\n\\*\\*${labels.severity}\\*\\*\\.`));
      for (const part of [/^\*\*It means\*\* /m, /^\*\*Look at\*\*$/m, /^\*\*Do\*\*$/m]) expect(section).toMatch(part);
    }
  });

  test('are listed in docs/alerts.md, with their severity', () => {
    const listed = [...readProjectFile('docs/alerts.md').matchAll(/^\| \[(\w+)\]\(runbook\.md#(\w+)\) \| (\w+) \|/gm)];
    expect(listed.map(([, alert, anchor, severity]) => ({ alert, anchor, severity }))).toEqual(
      rules.map(({ alert, labels }) => ({ alert, anchor: alert.toLowerCase(), severity: labels.severity })),
    );
  });

  test('have unique names, and each is tested with promtool', () => {
    expect(new Set(names).size).toBe(names.length);
    const tests = readProjectFile('deploy/prometheus/rules.test.yml');
    const fired = [...tests.matchAll(/labels: 'ALERTS\{alertname="(\w+)"/g)].map(([, alert]) => alert);
    expect(new Set(fired)).toEqual(new Set(names));
  });

  test('judge each gateway by itself', () => {
    for (const { alert, expr } of rules)
      for (const [, grouping] of expr.matchAll(/\b(?:sum|min|max|count|group)\b(?: by \(([^)]*)\))?/g))
        expect(grouping?.split(', '), `${alert}: ${expr}`).toContain('gateway');
  });

  test('use only labels in their texts that their result has', () => {
    for (const { expr, annotations } of rules) {
      const used = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label ?? '');
      const kept = new Set(['job', 'instance', ...selectedIn(expr).flatMap(({ labels }) => [...labels])]);
      expect(used.filter((label) => !kept.has(label))).toEqual([]);
    }
  });
});

test('the runbook calls the admin API only with query parameters that it has', () => {
  const { paths } = z
    .object({
      paths: z.record(
        z.string(),
        z.record(z.string(), z.looseObject({ parameters: z.array(z.looseObject({ name: z.string() })).default([]) })),
      ),
    })
    .parse(JSON.parse(readProjectFile('openapi.json')));
  const calls = [...runbook.matchAll(/curl (?:-X (\w+) )?"\$GATEWAY(\/[^"?]*)\?([^"]*)"/g)];
  expect(calls.length).toBeGreaterThan(2);
  for (const [, method = 'GET', path = '', query = ''] of calls) {
    const known = paths[path]?.[method.toLowerCase()]?.parameters.map(({ name }) => name);
    expect(known, path).toEqual(expect.arrayContaining([...new URLSearchParams(query).keys()]));
  }
});

describe('the dashboard', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  test('has the rows of docs/alerts.md, and panels in each', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).toEqual(['Ingest', 'Delivery', 'Backlog', 'Notifications', 'Temporal', 'Database', 'Process']);
    for (const [index, { type }] of dashboard.panels.entries())
      if (type === 'row') expect(dashboard.panels[index + 1]?.type).not.toBe('row');
    expect(dashboard.panels.at(-1)?.type).not.toBe('row');
  });

  test('takes its data source from a variable, so that it can be imported anywhere', () => {
    const [source] = dashboard.templating.list;
    expect(source).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    for (const { title, datasource, targets } of panels)
      for (const uid of [datasource?.uid, ...targets.map((target) => target.datasource.uid)])
        expect(uid, title).toBe('$' + '{datasource}');
    expect(JSON.stringify(dashboard)).not.toMatch(/"uid":"(?!\$\{datasource\}|webhook-gateway")/);
  });

  test('has panels with a description, ids of their own and places that do not overlap', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Set<string>();
    for (const { type, title, description, gridPos } of dashboard.panels) {
      if (type !== 'row') expect(description, title).toMatch(/\.$/);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`), title).toBe(false);
          taken.add(`${x},${y}`);
        }
    }
  });

  test.each(panelQueries)('$title queries PromQL, of the chosen processes: $expr', ({ expr, legends }) => {
    for (const { labels } of selectedIn(expr))
      expect([...labels]).toEqual(expect.arrayContaining(['job', 'instance', ...legends]));
    expect(expr).toContain('{job=~"$job", instance=~"$instance"');
  });
});

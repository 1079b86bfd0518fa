import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A metric that an expression reads, with the labels that it matches, groups by or joins on. */
export interface Selected {
  metric: string;
  labels: Set<string>;
}

/**
 * The metrics of a PromQL expression, by Prometheus' own grammar.
 *
 * @throws Error at an expression that does not parse, or that selects series without naming their metric
 */
export function selectedIn(expression: string): Selected[] {
  const tree = parser.parse(expression);
  const text = (node: SyntaxNode) => expression.slice(node.from, node.to);
  const found: Selected[] = [];
  tree.iterate({
    enter({ node }) {
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${expression}`);
      if (node.name !== 'VectorSelector') return;
      const metric = node.getChild('Identifier');
      if (!metric) throw new Error(`no metric is named: ${text(node)}`);
      const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
      const labels = matchers.flatMap((matcher) => matcher.getChildren('LabelName').map(text));
      found.push({ metric: text(metric), labels: new Set([...labels, ...groupedBy(node, text)]) });
    },
  });
  if (found.length === 0) throw new Error(`no metric is read: ${expression}`);
  return found;
}

/** The labels of all `by`, `without` and `on` around a selector. */
function groupedBy(selector: SyntaxNode, text: (node: SyntaxNode) => string): string[] {
  const labels: string[] = [];
  for (let node = selector.parent; node; node = node.parent)
    for (const grouping of node.getChild('AggregateModifier')?.getChildren('GroupingLabels') ?? [])
      labels.push(...grouping.getChildren('LabelName').map(text));
  return labels;
}

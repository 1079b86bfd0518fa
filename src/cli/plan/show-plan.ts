import type { Cli } from '../cli.ts';
import { printable } from '../output/printable.ts';
import type { FieldChange, Plan, Step } from './plan.ts';

/** Longer values, such as certificates, are cut. */
const maxValueCharacters = 100;

const signs = { create: '+', update: '~', delete: '-' } as const;

/** `stripe/shop`, or `stripe/shop consumer billing`. */
export const nameOf = ({ kind, account, name }: Pick<Step, 'kind' | 'account' | 'name'>): string =>
  printable(kind === 'account' ? account : `${account} ${kind} ${name}`);

/** Shows a plan: the changed fields of each step, and the references that are not set. */
export function showPlan({ out }: Cli, { steps, unset }: Plan): void {
  const { bold, dim, green, red, yellow } = out.colors;
  const colorOf = { create: green, update: yellow, delete: red };
  for (const step of steps) {
    out.text(colorOf[step.action](`${signs[step.action]} ${bold(nameOf(step))}`));
    for (const change of step.changes) out.text(`    ${change.field}: ${changeText(step, change)}`);
  }
  for (const one of unset) {
    const effect = one.needed ? 'is not set, and is needed' : 'is not set, so it stays as it is';
    out.text(dim(`? ${nameOf(one)} ${one.field}: ${one.reference} ${effect}`));
  }
  out.text(steps.length === 0 ? 'Nothing to change.' : `${bold('Plan:')} ${summaryOf(steps)}.`);
}

/** `1 to create, 2 to change`. */
export function summaryOf(steps: readonly Step[]): string {
  const words = { create: 'to create', update: 'to change', delete: 'to delete' } as const;
  return (['create', 'update', 'delete'] as const)
    .map((action) => ({ action, count: steps.filter((step) => step.action === action).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => `${count} ${words[action]}`)
    .join(', ');
}

function changeText(step: Step, { before, after, secret, replaces = false }: FieldChange): string {
  if (secret && after === null) return 'the secret is removed';
  if (secret) return replaces ? `another secret, from ${shown(after)}` : `from ${shown(after)}`;
  return step.action === 'create' ? shown(after) : `${shown(before)} → ${shown(after)}`;
}

function shown(value: unknown): string {
  const text = printable(
    typeof value === 'string' && value !== '' && !/[\s"]/.test(value) ? value : JSON.stringify(value),
  );
  return text.length > maxValueCharacters ? `${text.slice(0, maxValueCharacters)}…` : text;
}

/** A plan for scripts. `done`: how many of its steps were made. */
export function planDocument({ steps, unset }: Plan, done: number | null = null) {
  return {
    steps: steps.map(({ changes, signsWithKey: _, ...step }, at) => ({
      ...step,
      ...(done === null ? {} : { done: at < done }),
      changes: changes.map(({ field, before, after, secret }) => ({ field, before, after, secret })),
    })),
    unset,
  };
}

import { readFile, writeFile } from 'node:fs/promises';
import { defaultOf, type VariableName, variables } from './environment.ts';
import { roles, type Variable } from './variable.ts';

const page = new URL('../../docs/configuration.md', import.meta.url);

/** The table of all variables in docs/configuration.md, as Markdown. */
export function tableOfVariables(): string {
  const names = Object.keys(variables) as VariableName[];
  const rows = names.map((name) => {
    const variable = variables[name];
    const shown = variable.shownDefault ?? defaultOf(name);
    return `| \`${name}\` | ${shown === null ? 'none' : `\`${shown}\``} | ${usedBy(variable)} | ${variable.meaning} |`;
  });
  return ['| variable | default | used by | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function usedBy({ roles: given }: Variable): string {
  if (given.length === roles.length) return 'every role';
  return given.map((role) => (role === 'all' ? '`npm start`' : `\`${role}\``)).join(', ');
}

/** The page with the present table in place of its table of variables. */
export const withTable = (text: string): string =>
  text.replace(/^\| variable \| default \|.*\n(?:\|.*\n)+/m, () => `${tableOfVariables()}\n`);

if (import.meta.main) {
  await writeFile(page, withTable(await readFile(page, 'utf8')));
  console.log('written to docs/configuration.md');
}

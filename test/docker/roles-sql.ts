import pg from 'pg';
import { readProjectFile } from './files.ts';

/** The statements of docker/postgresql/roles.sql, with \getenv and :'name' filled in as psql does. */
export function roleStatements(environment: Record<string, string>): string[] {
  const variables = new Map<string, string>();
  const sql = readProjectFile('docker/postgresql/roles.sql')
    .replaceAll(/^--.*$/gm, '')
    .replaceAll(/^\\getenv (\w+) (\w+)$/gm, (_, name: string, from: string) => {
      variables.set(name, environment[from] ?? '');
      return '';
    })
    .replaceAll(/:'(\w+)'/g, (_, name: string) => pg.escapeLiteral(variables.get(name) ?? ''));
  return sql
    .split(';')
    .map((statement) => statement.trim())
    .filter(Boolean);
}

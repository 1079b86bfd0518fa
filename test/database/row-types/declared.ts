import { fileURLToPath } from 'node:url';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { isCallExpression, isPropertyAccessExpression, isTypeAliasDeclaration } from 'typescript/unstable/ast/is';
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';

/**
 * The type of a value at run time: `string`, `number`, `boolean`, `Date`, `Buffer`, one of them with `[]`, or `json`.
 */
export type Kind = string;

/** The type of the rows of one query, as the code declares it. */
export interface DeclaredRows {
  /** `src/events/list.ts:126`: where `.query` is called, or where the entity is defined. */
  where: string;
  /** The source text of the statement. */
  statement: string;
  /** The kinds that a column may have; null is left out, since the server does not say whether a column can be null. */
  columns: Map<string, Set<Kind>>;
  /** The type of columns of any other name, for types such as `Record<string, string>`. */
  others: Set<Kind>;
}

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Finds each call of `.query` below src/ whose rows have a type, and each entity of MikroORM. The types come from the
 * compiler, so that inferred, composed and imported ones count as well.
 */
export function declaredRows(): DeclaredRows[] {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] }).getProjects();
    if (!project) throw new Error('tsconfig.json holds no project');
    const { program, checker } = project;
    const names = program.getSourceFileNames().filter((name) => name.startsWith(`${root}src/`));
    return names.flatMap((name) => {
      const file = program.getSourceFile(name);
      // Most files have neither, and walking their syntax trees would take seconds.
      return file && /\.query\b|InferEntity</.test(file.text) ? ofFile(file, name.slice(root.length), checker) : [];
    });
  } finally {
    api.close();
  }
}

function ofFile(file: SourceFile, name: string, checker: Checker): DeclaredRows[] {
  const found: DeclaredRows[] = [];
  const add = (at: Node, statement: string, row: Type | undefined) => {
    if (!row || (row.flags & (TypeFlags.Any | TypeFlags.TypeParameter)) !== 0) return;
    const columns = new Map(
      checker.getPropertiesOfType(row).flatMap((property) => {
        const type = checker.getTypeOfSymbolAtLocation(property, at);
        // MikroORM marks its entities with symbols.
        return property.name.startsWith('__@') ? [] : [[property.name, kindsOf(type, checker)] as const];
      }),
    );
    if (columns.size === 0) return;
    const line = file.text.slice(0, at.end).split('\n').length;
    const others = new Set(
      checker.getIndexInfosOfType(row).flatMap(({ valueType }) => [...kindsOf(valueType, checker)]),
    );
    found.push({ where: `${name}:${line}`, statement, columns, others });
  };
  const visit = (node: Node): void => {
    if (
      isCallExpression(node) &&
      isPropertyAccessExpression(node.expression) &&
      node.expression.name.text === 'query'
    ) {
      const [statement] = node.arguments;
      if (statement) add(node.expression, textOf(file, statement), rowOf(checker.getTypeAtLocation(node), checker));
    }
    if (isTypeAliasDeclaration(node)) {
      const [, entity] = /^InferEntity<typeof (\w+)>$/.exec(textOf(file, node.type)) ?? [];
      const [, table] = new RegExp(`const ${entity} = defineEntity\\([^]*?tableName: '(\\w+)'`).exec(file.text) ?? [];
      if (table) add(node.name, `'select * from ${table}'`, checker.getTypeAtLocation(node.name));
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** The row in `Promise<Row[]>` or in `Promise<QueryResult<Row>>`. */
function rowOf(type: Type | undefined, checker: Checker): Type | undefined {
  const [answer] = type?.isTypeReference() ? checker.getTypeArguments(type) : [];
  if (answer?.isTypeReference() && checker.isArrayType(answer)) return checker.getTypeArguments(answer)[0];
  const rows = answer && checker.getPropertyOfType(answer, 'rows');
  const list = rows && checker.getTypeOfSymbol(rows);
  return list?.isTypeReference() ? checker.getTypeArguments(list)[0] : undefined;
}

function kindsOf(type: Type, checker: Checker): Set<Kind> {
  if (type.isUnionType()) return new Set(type.getTypes().flatMap((one) => [...kindsOf(one, checker)]));
  const { flags } = type;
  if ((flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0) return new Set();
  if ((flags & (TypeFlags.String | TypeFlags.StringLiteral | TypeFlags.TemplateLiteral)) !== 0)
    return new Set(['string']);
  if ((flags & (TypeFlags.Number | TypeFlags.NumberLiteral)) !== 0) return new Set(['number']);
  if ((flags & (TypeFlags.Boolean | TypeFlags.BooleanLiteral)) !== 0) return new Set(['boolean']);
  if (type.isTypeReference() && checker.isArrayType(type))
    return new Set(
      checker.getTypeArguments(type).flatMap((one) => [...kindsOf(one, checker)].map((kind) => `${kind}[]`)),
    );
  const name = type.getSymbol()?.name;
  return new Set([name === 'Uint8Array' ? 'Buffer' : name === 'Date' || name === 'Buffer' ? name : 'json']);
}

const textOf = (file: SourceFile, node: Node) => file.text.slice(node.pos, node.end).trim();

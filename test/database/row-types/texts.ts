import { registerHooks } from 'node:module';
import pg from 'pg';
import { type DeclaredRows, root } from './declared.ts';

/** A statement is passed as its text, or as `{ name, text }`. */
type Passed = string | { text: string };

const textOf = (passed: Passed) => (typeof passed === 'string' ? passed : passed.text);

/**
 * The statements that only use names of their module. The module is loaded again with an added function for each
 * statement, so that PostgreSQL gets exactly the text that the gateway sends.
 *
 * @returns texts by `where`; statements that use a local value of their function are missing.
 */
export async function textsOfModules(declared: readonly DeclaredRows[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const [file, rows] of Map.groupBy(declared, ({ where }) => where.replace(/:\d+$/, ''))) {
    const added = `\nexport const __statements = [${rows.map(({ statement }) => `() => (${statement})`).join(',\n')}];`;
    const { __statements } = await loadWith(`${root}${file}`, added);
    for (const [at, { where }] of rows.entries()) {
      try {
        texts.set(where, textOf(__statements[at]()));
      } catch (error) {
        if (!(error instanceof ReferenceError)) throw error;
      }
    }
  }
  return texts;
}

async function loadWith(path: string, added: string) {
  const url = `file://${path}?statements`;
  const hooks = registerHooks({
    load(asked, context, nextLoad) {
      const loaded = nextLoad(asked, context);
      return asked === url ? { ...loaded, source: `${loaded.source}${added}` } : loaded;
    },
  });
  try {
    return await import(url);
  } finally {
    hooks.deregister();
  }
}

/** Runs `work` and records the text of each statement on a connection, with the line of src/ that sends it. */
export async function textsWhile(work: () => Promise<unknown>): Promise<[where: string, text: string][]> {
  const texts: [string, string][] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function noted(this: pg.Client, ...given: unknown[]) {
    const [passed] = given;
    const frames = (new Error().stack ?? '').matchAll(
      /(src\/(?!database\/transaction\.ts|telemetry\/tracing\/)[\w/.-]+\.ts):(\d+)/g,
    );
    const [frame] = frames;
    if (frame && (typeof passed === 'string' || isStatement(passed)))
      texts.push([`${frame[1]}:${frame[2]}`, textOf(passed)]);
    return Reflect.apply(query, this, given);
  };
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return texts;
}

const isStatement = (passed: unknown): passed is { text: string } =>
  typeof passed === 'object' && passed !== null && 'text' in passed && typeof passed.text === 'string';

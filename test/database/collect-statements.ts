import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Prints the statements of all modules in src/ as JSON: an array of { file, name, text }. A program of its own, because a
 * statement is a constant that its module does not export: each module is loaded with a line at its end that tells them.
 */
export interface FoundStatement {
  file: string;
  name: string;
  text: string;
}

const root = new URL('../../', import.meta.url);
const found: FoundStatement[] = [];

/** Statements among values, and in the objects that contain them. */
function note(file: string, value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > 2) return;
  const { name, text } = value as { name?: unknown; text?: unknown };
  if (typeof name === 'string' && typeof text === 'string') found.push({ file, name, text });
  else if (Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value))
    for (const each of Object.values(value)) note(file, each, depth + 1);
}

Object.assign(globalThis, { noteConstant: note });
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(new URL('src/', root).href) || loaded.source === undefined || loaded.source === null)
      return loaded;
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    const file = url.slice(root.href.length);
    const names = [...source.matchAll(/^(?:export )?const (\w+)/gm)].map(([, name]) => name);
    return { ...loaded, source: [source, ...names.map((name) => `noteConstant('${file}', ${name});`)].join('\n') };
  },
});

// Those of the browser and of the command line, and programs, which run when they are loaded.
const notLoaded =
  /^src\/(console\/web|cli)\/|^src\/(main|roles\/openapi|config\/table|embedded\/temporal-downloader|temporal\/build-workflows)\.ts$/;
for (const file of globSync('src/**/*.ts', { cwd: root }).toSorted())
  if (!notLoaded.test(file)) await import(new URL(file, root).href);
process.stdout.write(JSON.stringify(found), () => process.exit(0));

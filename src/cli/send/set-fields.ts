import { usageError } from '../exit.ts';
import { parsePair } from '../inputs.ts';
import type { SampleContent } from './samples/sample.ts';

/** JSON if it is JSON, so that `5` is a number; else text. */
function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Sets fields of a sample.
 *
 * @param settings as `data.object.amount=5`; positions in lists are numbers: `items.0.id=7`
 * @throws CliError for a setting that is not valid, and for a path through something that has no fields
 */
export function withFields(content: SampleContent, settings: readonly string[]): SampleContent {
  if (settings.length === 0) return content;
  // Samples are shared between webhooks.
  const fields = structuredClone(content.fields);
  for (const setting of settings) {
    const [path, text] = parsePair(setting, '--set');
    // A form has no fields within fields, and its names may have dots.
    if (content.encoding === 'form') set(fields, path, text);
    else setPath(fields, path, parsedValue(text));
  }
  return { ...content, fields };
}

function setPath(fields: object, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let at: object = fields;
  for (const name of names) {
    const inner: unknown = Object.hasOwn(at, name) ? Reflect.get(at, name) : set(at, name, {});
    if (typeof inner !== 'object' || inner === null)
      throw usageError(`${path} cannot be set: ${name} has no fields`, `Set ${name} itself, for example to {}.`);
    at = inner;
  }
  set(at, last, value);
}

/** Also for names such as `__proto__`, which an assignment would take for something else. */
function set(holder: object, name: string, value: unknown): unknown {
  if (Array.isArray(holder) && !/^\d{1,4}$/.test(name))
    throw usageError(`'${name}' is not a position in a list`, 'Write it as a number, the first one as 0.');
  Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true });
  return value;
}

import { oncePer } from '../shared/once-per.ts';
import type { InboundRequest } from './inbound-request.ts';

/**
 * The second parse calls a function for each value. That takes 0.3 to 0.6 s per MiB (measured), before the webhook is
 * verified. Webhooks with such a number as id are far smaller.
 */
const maxBytes = 64 * 1024;

type Numbers = { root: unknown; sources: ReadonlyMap<unknown, ReadonlyMap<string, string>> };

const numbersOf = oncePer((request: InboundRequest) =>
  request.body.length > maxBytes ? null : parse(request.text() ?? ''),
);

/**
 * The digits, as sent, of the number at `path` of the JSON body, for numbers beyond JavaScript's safe integers. Null
 * when there is no such number, or when the body is over 64 KiB or nested too deeply. Parses the body again, once per
 * request.
 */
export function numberAsSent(request: InboundRequest, path: readonly string[]): string | null {
  const numbers = numbersOf(request);
  if (numbers === null) return null;
  let holder: unknown = numbers.root;
  for (const name of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return null;
    holder = Reflect.get(holder, name);
  }
  return numbers.sources.get(holder)?.get(path.at(-1) ?? '') ?? null;
}

/** Source: https://tc39.es/proposal-json-parse-with-source/ (in Node since 21) */
function parse(text: string): Numbers | null {
  const sources = new Map<unknown, Map<string, string>>();
  // TypeScript's library does not declare the last argument yet, so it is optional here.
  function note(this: object, key: string, value: unknown, context?: { source?: string }): unknown {
    if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER || !context?.source) return value;
    const ofHolder = sources.get(this);
    if (ofHolder) ofHolder.set(key, context.source);
    else sources.set(this, new Map([[key, context.source]]));
    return value;
  }
  try {
    return { root: JSON.parse(text, note), sources };
  } catch (error) {
    // A parse with a reviver is recursive, unlike a plain one: many thousand levels overflow the stack.
    if (error instanceof RangeError || error instanceof SyntaxError) return null;
    throw error;
  }
}

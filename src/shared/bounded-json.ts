/** How much JSON may hold before it is parsed. */
export interface JsonBounds {
  /** Objects and arrays inside each other. */
  levels: number;
  /** Members of objects and elements of arrays, of all levels together; no bound when absent. */
  values?: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Whether JSON text in UTF-8 keeps within `bounds`. Reads each byte at most once, so that this takes about 1 ms a MiB
 * whatever stands there; `JSON.parse` takes up to 100 ms (measured: a MiB of brackets or of short keys). The parser
 * decides whether the text is valid: of text that is not, only brackets and commas outside of strings count.
 */
export function isWithinBounds(json: Uint8Array, bounds: JsonBounds): boolean {
  const { levels, values = Number.POSITIVE_INFINITY } = bounds;
  const { length } = json;
  // Each level opens and closes; most webhooks are too short for 500, and each value takes a byte at least.
  if (length < 2 * (levels + 1) && length < values) return true;
  let depth = 0;
  // The first value has no comma before it.
  let count = 1;
  for (let at = 0; at < length; at++) {
    const byte = json[at];
    if (byte === quote) {
      for (at++; at < length && json[at] !== quote; at++) if (json[at] === backslash) at++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > levels || ++count > values) return false;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
    else if (byte === comma && ++count > values) return false;
  }
  return true;
}

/**
 * Parses JSON text that keeps within `bounds`; undefined when it does not, or is no JSON.
 */
export function parseWithinBounds(json: string, bounds: JsonBounds): unknown {
  if (!isWithinBounds(Buffer.from(json), bounds)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * What the gateway reads and shows of a webhook. Payloads have a few dozen levels; what visits each value of a deeper
 * one recurses, and many clients' parsers take no more.
 */
export const webhookBounds: JsonBounds = { levels: 500 };

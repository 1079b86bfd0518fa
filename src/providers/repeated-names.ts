/**
 * Whether an object in `json` has a name twice. `JSON.parse` keeps the last value of such a name; the consumer's parser
 * may keep the first. `json` must be well-formed. Objects below `maxDepth` levels are not checked.
 */
export function hasRepeatedNames(json: string, maxDepth: number): boolean {
  /** The names seen so far in each enclosing object; null for a list and for an object that is too deep. */
  const around: (Set<string> | null)[] = [];
  let nameNext = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const end = endOfString(json, at);
      const names = around.at(-1);
      if (nameNext && names) {
        const name: string = JSON.parse(json.slice(at, end + 1));
        if (names.has(name)) return true;
        names.add(name);
      }
      nameNext = false;
      at = end;
    } else if (character === '{') {
      around.push(around.length < maxDepth ? new Set() : null);
      nameNext = true;
    } else if (character === '[') around.push(null);
    else if (character === '}' || character === ']') around.pop();
    else if (character === ',') nameNext = true;
  }
  return false;
}

/** The index of the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

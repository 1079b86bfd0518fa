/**
 * Whether an object in `json`, which must be well-formed, has a name twice; objects below `maxDepth` levels are not
 * looked at. `JSON.parse` keeps the last value of such a name, and who reads the text next may keep the first.
 */
export function hasRepeatedNames(json: string, maxDepth: number): boolean {
  /** The names so far of each object around; null for a list and for what is too deep. */
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

/** Where the string that begins at `start` has its last quote. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

// The bundle runs with Node 20. What it shares with the gateway, and Chevrotain, use what Node has since 21 and 22.
URL.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null);
Object.groupBy ??= (items, keyOf) => {
  const groups = Object.create(null);
  let n = 0;
  for (const item of items) {
    const key = keyOf(item, n++);
    groups[key] = [...(groups[key] ?? []), item];
  }
  return groups;
};

import { type Content, storedContent } from '../../../conditions/content.ts';
import { operandText } from '../../../conditions/print.ts';
import type { Segment } from '../../../conditions/tree.ts';
import type { Sql } from '../../../database/sql.ts';
import type { EventRow } from '../../../events/event.ts';
import { readStoredContents } from '../../../events/stored-contents.ts';

/** The newest events whose paths and headers are offered for completion. Those of one type have mostly the same. */
const offeredEvents = 20;
/** Headers and bodies that are read for it. */
const maxBytes = 1024 * 1024;
/** Far more than an operator reads. */
const maxOffered = 50;
/** Deeper paths are rarely in a condition, and would take the place of others. */
const maxSegments = 5;

/** Paths of the payload and headers, as conditions name them, of the newest events. They have names but no values. */
export async function offeredContents(sql: Sql, events: readonly EventRow[]): Promise<string[]> {
  const ids = events.slice(0, offeredEvents).map(({ id }) => id);
  const paths = new Set<string>();
  const headers = new Set<string>();
  for await (const { stored } of readStoredContents(sql, ids, { bodies: true, maxBytes })) {
    addPaths(paths, storedContent(stored));
    for (const [name] of stored.headers) headers.add(operandText({ kind: 'header', name: name.toLowerCase() }));
  }
  return [...[...paths].slice(0, maxOffered), ...[...headers].slice(0, maxOffered)];
}

/** Adds the paths of a payload, short ones first. */
function addPaths(paths: Set<string>, content: Content): void {
  const waiting: Segment[][] = [[]];
  for (let path = waiting.shift(); path && paths.size < maxOffered; path = waiting.shift()) {
    const value = content.payload(path);
    if (value === undefined) return;
    if (path.length > 0) paths.add(operandText({ kind: 'payload', path }));
    if (path.length < maxSegments) waiting.push(...segmentsOf(value).map((segment) => [...(path ?? []), segment]));
  }
}

/** The first keys of an object; of an array, its first element stands for all. */
function segmentsOf(value: unknown): Segment[] {
  if (Array.isArray(value)) return value.length > 0 ? [0] : [];
  return typeof value === 'object' && value !== null ? Object.keys(value).slice(0, maxOffered) : [];
}

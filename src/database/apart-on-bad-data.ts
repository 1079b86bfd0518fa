import { databaseFailure } from './errors.ts';

/**
 * Runs a batch of items. If PostgreSQL refuses a value in it, runs each item as a batch of its own, in their order, so that
 * an invalid item does not lose the others.
 *
 * @param batch `run` returns one result per item, in the same order; `refused`: the result of an item that PostgreSQL
 *   refuses.
 * @throws all other errors of `run`
 */
export async function apartOnBadData<Item, Result>(
  items: Item[],
  batch: { run: (items: Item[]) => Promise<Result[]>; refused: (error: unknown, item: Item) => Result },
): Promise<Result[]> {
  try {
    return await batch.run(items);
  } catch (error) {
    if (databaseFailure(error) !== 'bad_data') throw error;
    const [only, ...others] = items;
    if (only !== undefined && others.length === 0) return [batch.refused(error, only)];
    const results: Result[] = [];
    for (const item of items) results.push(...(await apartOnBadData([item], batch)));
    return results;
  }
}

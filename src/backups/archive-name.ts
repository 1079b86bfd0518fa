/** What every name of a backup begins with. */
export const namesBegin = 'gateway-';

/** A UTC time, the id of the backup, and how its bytes are to be read. */
const pattern = /^gateway-\d{8}T\d{6}Z-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.sql\.gz(?:\.enc)?$/;

/**
 * `gateway-20261121T023000Z-<id>.sql.gz.enc`, without `.enc` when it is not encrypted. Names sort by time, and every file
 * system takes them.
 */
export function archiveName(createdAt: Date, id: string, encrypted = true): string {
  const time = createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `gateway-${time}-${id}.sql.gz${encrypted ? '.enc' : ''}`;
}

/** Whether a backup may have this name. No such name leads out of a folder. */
export const isArchiveName = (name: string) => pattern.test(name);

/** The id in the name of a backup; null for any other name. What the name says is not authenticated. */
export const idOfArchive = (name: string): string | null => pattern.exec(name)?.[1] ?? null;

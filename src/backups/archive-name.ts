/** The prefix of every backup's name. */
export const namesBegin = 'gateway-';

/** A UTC time, the id of the backup, and its encoding. */
const pattern = /^gateway-\d{8}T\d{6}Z-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.sql\.gz(?:\.enc)?$/;

/**
 * The name of a backup: `gateway-20261121T023000Z-<id>.sql.gz.enc`, without `.enc` when it is not encrypted. Names sort
 * by time and are valid in every file system.
 */
export function archiveName(createdAt: Date, id: string, encrypted = true): string {
  const time = createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `gateway-${time}-${id}.sql.gz${encrypted ? '.enc' : ''}`;
}

/** Whether this is a valid name of a backup. Valid names contain no path separators. */
export const isArchiveName = (name: string) => pattern.test(name);

/** The id in the name of a backup; null for any other name. A name is not authenticated. */
export const idOfArchive = (name: string): string | null => pattern.exec(name)?.[1] ?? null;

/** `gateway-20261121T023000Z-<id>.sql.gz`: sorts by time, and no file system minds it. */
const pattern = /^gateway-\d{8}T\d{6}Z-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.sql\.gz$/;

export function archiveName(createdAt: Date, id: string): string {
  const time = createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `gateway-${time}-${id}.sql.gz`;
}

/** Whether a backup of ours may have this name. No such name leads out of a folder. */
export const isArchiveName = (name: string) => idOfArchive(name) !== null;

/** The id of the backup that was stored under this name; null for a name that is none of ours. */
export const idOfArchive = (name: string): string | null => pattern.exec(name)?.[1] ?? null;

import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path of a backup folder. The first backup creates it, and the stop of the gateway removes it. */
export const backupFolder = () => join(tmpdir(), `gateway-backups-${randomBytes(6).toString('hex')}`);

import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a test gateway's backups may go. The first one makes it, and the gateway's end removes it. */
export const backupFolder = () => join(tmpdir(), `gateway-backups-${randomBytes(6).toString('hex')}`);

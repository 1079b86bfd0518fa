/** The command that restores a backup into an empty database (docs/backups.md). Arguments would show a password to all users. */
export const restoreCommand = (name: string, { isUnverified = false } = {}) =>
  `DATABASE_URL=postgresql://… npm run restore -- ${name}${isUnverified ? ' --unverified' : ''}`;

/** The commands that restore a backup into the PostgreSQL of `npm start`, in a new data folder. */
export const ownServerCommands = (name: string) =>
  `mkdir -p -m 700 restored/secrets && cp <copy of the key> restored/secrets/secrets-key
DATA_DIR=restored npm run restore -- ${name}
DATA_DIR=restored npm start`;

/** Checks the audit log with the head that the restore prints. */
export const verifyCommand = (origin: string) =>
  `curl "${origin}/admin/audit-logs/verify?head=<seq>:<seal>" -H "X-Admin-Token: $ADMIN_TOKEN"`;

export const resumeCommand = (origin: string) =>
  `curl -X POST ${origin}/admin/delivery/resume -H "X-Admin-Token: $ADMIN_TOKEN"`;

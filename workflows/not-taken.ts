/** Why a maintenance run failed that no worker took in time, for operators. */
export const notTaken = (purpose: 'maintenance' | 'backups') =>
  purpose === 'backups'
    ? 'no worker takes backups: run one with BACKUP_DIR or BACKUP_URL whose WORKER_QUEUES, if it is set, has backups'
    : 'no worker takes maintenance: run one whose WORKER_QUEUES, if it is set, has maintenance';

/** Kills a process by SIGKILL. Throws without a pid, because a signal to process 0 would end the tests themselves. */
export function kill(pid: number | null | undefined): void {
  if (!pid) throw new Error('there is no process to kill');
  process.kill(pid, 'SIGKILL');
}

/** Kills processes that were found a moment ago by SIGKILL. Some may have ended since, as with their parent. */
export function killFound(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

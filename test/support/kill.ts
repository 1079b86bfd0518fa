/** Kills a process by SIGKILL. Throws without a pid, because a signal to process 0 would end the tests themselves. */
export function kill(pid: number | null | undefined): void {
  if (!pid) throw new Error('there is no process to kill');
  process.kill(pid, 'SIGKILL');
}

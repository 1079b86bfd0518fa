/** Kills a process that must be running by SIGKILL: to signal process 0 would be to end the tests themselves. */
export function kill(pid: number | null | undefined): void {
  if (!pid) throw new Error('there is no process to kill');
  process.kill(pid, 'SIGKILL');
}

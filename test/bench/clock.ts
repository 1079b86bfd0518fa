const nsAMs = 1e6;

/** Milliseconds of the monotonic clock, which all processes of a machine share. `performance.timeOrigin` differs between processes. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / nsAMs;

/** The load of a seed, unless `--seconds` says otherwise. */
export const defaultLoadS = 25;
/**
 * Webhooks per second, unless `--rate` says otherwise. Each becomes two or three events, so these are 25 events per second: two
 * cores deliver them, and the servers and the suite share these. With 25 webhooks per second and workflows that make all
 * attempts, 570 of 1,486 events were left at the end of the time limit.
 */
export const defaultRate = 10;

/** The first fault: before it, every process has made its connections. */
export const quietMs = 2_000;

export const deliveryTimeoutMs = 2_000;
/** Nine delays. An event is exhausted after 9 s, or 29 s if its consumer never answers. */
export const deliverySchedule = Array.from({ length: 9 }, () => '1s').join(',');
export const attemptsOfSchedule = 10;

/**
 * How long after the load and the last fault every event has to be settled. It takes half a minute on two cores, and a slow
 * machine that delivers 15 events a second with all their retries needs more than one.
 */
export const settleLimitMs = 120_000;

/** Histories that are compared with rows, besides those of all events that were not delivered. */
export const sampledHistories = 100;

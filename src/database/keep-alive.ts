/**
 * For connections that wait as long as it takes, for statements or notifications: that the server is gone, after its machine
 * has failed, say, is noticed within half a minute. Left to the system it would be two hours.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/**
 * For connections whose statements may take as long as they take: that the server is gone, after its machine has failed, say,
 * is noticed within half a minute. Left to the system it would be two hours.
 */
export const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

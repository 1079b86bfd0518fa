/** The path of the gateway that accepts every POST (src/http/health.ts), as the consumer of a first account. */
export const trialPath = '/health/live';

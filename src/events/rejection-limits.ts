/** How many bytes of rejected webhooks are kept per day (UTC), as counted in transitions/rejected.ts. */
export interface RejectionLimits {
  accountDailyBytes: number;
  dailyBytes: number;
}

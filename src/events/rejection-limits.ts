/** How many bytes of rejected webhooks are kept a day (UTC), as `rejectedBytes` in record-rejections.ts counts them. */
export interface RejectionLimits {
  accountDailyBytes: number;
  dailyBytes: number;
}

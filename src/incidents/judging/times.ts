/** The times of the rules, in seconds; shorter in tests. */
export interface IncidentTimes {
  /** In which half of ten or more attempts fail. */
  windowS: number;
  /** In which more than half of ten or more webhooks are rejected, and for how long before some were accepted. */
  rejectedWindowS: number;
  acceptedBeforeS: number;
  /** For how long no attempt fails before an incident resolves by itself, and if it had been reopened. */
  quietS: number;
  quietAgainS: number;
  /** For how long after its end the same cause reopens an incident. */
  reopensS: number;
}

export const incidentTimes: IncidentTimes = {
  windowS: 60,
  rejectedWindowS: 5 * 60,
  acceptedBeforeS: 60 * 60,
  quietS: 60,
  // A consumer that fails every two minutes is one incident, and not one that ends every two minutes.
  quietAgainS: 5 * 60,
  reopensS: 15 * 60,
};

/** How often processes count, judge and look after themselves, in ms, and the times of the rules; shorter in tests. */
export interface IncidentPace {
  flushMs?: number;
  judgeMs?: number;
  watchMs?: number;
  times?: Partial<IncidentTimes>;
}

/** Open incidents of all accounts together: more would tell an engineer nothing new. Those of the gateway have a few causes and no limit. */
export const mostOpen = 1_000;

/** What a part of `npm run cluster` found. */
export interface PartResult {
  /** What was measured or done, for the summary. */
  said: string;
  /** What does not hold, in words; empty if the part passed. */
  failures: string[];
}

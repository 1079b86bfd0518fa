/** Filters of lists stand in the address as plain texts, so that a colleague who opens it sees the same. */
export type Filters = Record<string, string | undefined>;

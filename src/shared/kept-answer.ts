/** How much of the answer of a consumer or service is kept, in bytes: enough for an error message or a stack trace. */
export const keptAnswerBytes = 16 * 1024;

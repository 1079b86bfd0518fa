/** The stored part of a response of a consumer or service, in bytes: enough for an error message or a stack trace. */
export const keptAnswerBytes = 16 * 1024;

/**
 * The most attempts, notifications and actions that one event is shown with, of each the newest. There is a bound
 * because an operator can replay or acknowledge an event without end. 200 attempts with 16 KiB of answer and the headers
 * of both sides are some 10 MiB; a schedule has at most 21.
 */
export const mostOfEach = 200;

/** For the description of a list in the API. */
export const newestOfEach = `the newest ${mostOfEach}, oldest first`;

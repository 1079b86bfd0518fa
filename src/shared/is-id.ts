const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, in either case. All ids are UUIDs, so other texts need no query. */
export const isId = (given: string): boolean => uuid.test(given);

import type {
  AckRequest,
  DeliverEventInput,
  DeliveryStatus,
  FailRequest,
  LastAttempt,
  ReplayRequest,
  RetryRequest,
} from './messages.ts';

// What reaches a workflow from outside may have been sent by hand, so its form is checked before it is used. Fields that
// are not known are allowed, because another release may have added them.

/** The fields of an object of unknown form. */
type Fields<T> = { [Name in keyof T]?: unknown };

const isObject = <T>(content: unknown): content is Fields<T> => typeof content === 'object' && content !== null;
const isWhole = (value: unknown) => Number.isSafeInteger(value);
const isFrom = (value: unknown, least: number) => typeof value === 'number' && Number.isFinite(value) && value >= least;
const isOptional = (value: unknown, isValid: (present: unknown) => boolean) => value === undefined || isValid(value);
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isListOf = (value: unknown, isValid: (item: unknown) => boolean) => Array.isArray(value) && value.every(isValid);

export const isAck = (content: unknown) => isObject<AckRequest>(content) && isWhole(content.generation);

export const isFail = (content: unknown) =>
  isObject<FailRequest>(content) &&
  isWhole(content.generation) &&
  isBoolean(content.dead) &&
  isOptional(content.accountDeleted, isBoolean);

export const isRetry = (content: unknown) =>
  isObject<RetryRequest>(content) &&
  isWhole(content.generation) &&
  isWhole(content.number) &&
  isFrom(content.number, 1);

export const isReplay = (content: unknown) =>
  isObject<ReplayRequest>(content) &&
  isWhole(content.generation) &&
  isSchedule(content.schedule) &&
  isResume(content.resume);

export const isDeliverEventInput = (content: unknown) =>
  isObject<DeliverEventInput>(content) &&
  isReplay(content) &&
  typeof content.eventId === 'string' &&
  isOptional(content.retries, (retries) => isListOf(retries, isRetry)) &&
  isOptional(content.notifications, (notifications) => isListOf(notifications, isObject));

const isMs = (value: unknown) => isFrom(value, 0);

const isSchedule = (content: unknown) =>
  isObject<ReplayRequest['schedule']>(content) &&
  isListOf(content.delaysMs, isMs) &&
  isMs(content.timeLimitMs) &&
  isMs(content.holdMs) &&
  isMs(content.holdLimitMs);

const isResume = (content: unknown) =>
  isObject<ReplayRequest['resume']>(content) &&
  isWhole(content.attempts) &&
  isFrom(content.attempts, 0) &&
  (content.nextAttemptAt === null || isTime(content.nextAttemptAt)) &&
  isBoolean(content.settled) &&
  isOptional(content.deliveryStatus, (status) => statuses.some((known) => known === status)) &&
  isOptional(content.lastAttempt, isLastAttempt);

const isLastAttempt = (content: unknown) =>
  isObject<LastAttempt>(content) &&
  isWhole(content.number) &&
  isTime(content.at) &&
  isOptional(content.outcome, (outcome) => typeof outcome === 'string') &&
  isOptional(content.responseCode, isWhole) &&
  isOptional(content.durationMs, isMs);

const statuses: DeliveryStatus[] = ['pending', 'delivered', 'failed'];

const isTime = (value: unknown) => typeof value === 'string' && Number.isFinite(Date.parse(value));

/** How deliveries to a consumer differ from the usual ones. What is absent is as usual. */
export interface DeliveryOptions {
  /** Further headers, by name. */
  headers?: Readonly<Record<string, string>>;
  /** Statuses with which the event counts as delivered: see status-list.ts. Usually 2xx. */
  success?: readonly string[];
  /** Statuses after which no further attempt is made. Usually none. */
  final?: readonly string[];
  /** The delays between attempts, in milliseconds: one less than the attempts. Usually DELIVERY_SCHEDULE. */
  delaysMs?: readonly number[];
  /** The time limit of a delivery, in milliseconds. Usually DELIVERY_TIMEOUT. */
  timeoutMs?: number;
}

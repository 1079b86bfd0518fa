import type { EventRow } from '../event.ts';
import { eventItem } from '../event-view.ts';
import type { LastAnswer } from './last-answers.ts';

export const exportFormats = ['ndjson', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const contentTypes: Record<ExportFormat, string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** The columns of CSV; NDJSON has all fields of the list. */
const columns = [
  ...(['id', 'received_at', 'state', 'provider', 'account_slug', 'consumer', 'event_type', 'external_id'] as const),
  ...(['attempts', 'response_code', 'last_error', 'answer', 'next_attempt_at', 'delivered_at'] as const),
  ...(['rejection_reason', 'skipped_reason', 'request_id'] as const),
] as const;

/** The first line of a file; empty for NDJSON. */
export const headOf = (format: ExportFormat): string => (format === 'csv' ? `${columns.join(',')}\r\n` : '');

/** An event as a line of a file. */
export function lineOf(format: ExportFormat, event: EventRow, answer: LastAnswer | undefined): string {
  const item = { ...eventItem(event), answer: answer?.line ?? null };
  if (format === 'ndjson') return `${JSON.stringify(item)}\n`;
  return `${columns.map((column) => cell(item[column])).join(',')}\r\n`;
}

/** A field of RFC 4180. */
function cell(value: string | number | null): string {
  const text = harmless(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text that a spreadsheet does not evaluate: senders choose ids and types, and consumers their answers
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function harmless(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '');
  return /^[=+\-@\t\r\n|%]/.test(value.trimStart()) || /^[\t\r\n]/.test(value) ? `'${value}` : value;
}

import { z } from 'zod';
import { text, timestamp } from '../http/admin/schemas/common.ts';

/** The columns of a pause, of an account or of one of its consumers. */
export interface PauseColumns {
  paused_since?: Date | null | undefined;
  pause_reason?: string | null | undefined;
}

/** Begins a pause. One that is in force keeps its time and reason. */
export function beginPause(columns: PauseColumns, reason: string): void {
  if (columns.paused_since) return;
  columns.paused_since = new Date();
  columns.pause_reason = reason === '' ? null : reason;
}

export function endPause(columns: PauseColumns): void {
  columns.paused_since = null;
  columns.pause_reason = null;
}

/** A pause as it is shown; null: there is none. */
export function shownPause({ paused_since, pause_reason }: PauseColumns) {
  return paused_since ? { since: paused_since.toISOString(), reason: pause_reason ?? null } : null;
}

/** The schema of `shownPause`. */
export const pauseShown = z
  .object({ since: timestamp, reason: text.nullable() })
  .nullable()
  .meta({ description: 'Since when deliveries are paused, and why; `null`: they are not' });

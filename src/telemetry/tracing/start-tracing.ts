import type { Running } from '../../shared/running.ts';
import type { TracedProcess, TracingSettings } from './settings.ts';

const off: Running = { stop: () => Promise.resolve() };

/**
 * Turns tracing on for this process, if there are settings for it. OpenTelemetry's SDK is loaded only then.
 *
 * @returns its `stop` sends the spans that wait, for at most 5 s.
 * @throws StartError when a file of a certificate cannot be read.
 */
export async function startTracing(settings: TracingSettings | null, process: TracedProcess): Promise<Running> {
  if (settings === null) return off;
  const { startOpenTelemetry } = await import('./start-open-telemetry.ts');
  return startOpenTelemetry(settings, process);
}

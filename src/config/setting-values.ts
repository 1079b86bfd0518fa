import { z } from 'zod';
import { type Purpose, purposes } from '../../workflows/queues.ts';
import { countedStarts } from '../events/workflow-backlog.ts';
import { durationBetween, integerBetween, list } from '../shared/setting-types.ts';

// Types of variables that only the gateway has; the usual ones are in ../shared/setting-types.ts.

/** Nine delays between ten attempts: 10 s to 80 m, 2 h 39 m in total. */
export const defaultSchedule = '10s,30s,1m,2m,5m,10m,20m,40m,80m';

export const deliverySchedule = list.transform((parts, context) => {
  if (parts.length !== 9) {
    context.addIssue({ code: 'custom', message: `needs nine delays between the ten attempts, got ${parts.length}` });
    return z.NEVER;
  }
  return parts.map((part) => {
    const delay = durationBetween('1ms', '4h').safeParse(part);
    if (delay.success) return delay.data;
    context.addIssue({ code: 'custom', message: `'${part}': ${delay.error.issues[0]?.message}` });
    return 0;
  });
});

/** A number of events and an age. More events than the limit are not counted (src/events/workflow-backlog.ts). */
export const workflowsBacklog = list.transform((parts, context) => {
  const [events = '', age = ''] = parts;
  const wrong = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (parts.length !== 2) return wrong('must be a number of events and an age, such as 10000,5m');
  const number = integerBetween(1, countedStarts - 1).safeParse(events);
  if (!number.success) return wrong(`'${events}': ${number.error.issues[0]?.message}`);
  const duration = durationBetween('1s', '24h').safeParse(age);
  if (!duration.success) return wrong(`'${age}': ${duration.error.issues[0]?.message}`);
  return { events: number.data, ageMs: duration.data };
});

/** The server joins name and build with a dot in some places, so the name has none. */
export const deploymentName = z.string().regex(/^[\w-]{1,200}$/, 'must be 1 to 200 letters, digits, _ or -');
export const buildId = z.string().regex(/^[\w.+-]{1,200}$/, 'must be 1 to 200 letters, digits, ., _, + or -');

export const workerQueues = list.transform((parts, context) => {
  const known = parts.filter((part): part is Purpose => purposes.some((purpose) => purpose === part));
  if (known.length > 0 && known.length === parts.length) return known;
  context.addIssue({ code: 'custom', message: `must be some of: ${purposes.join(', ')}` });
  return z.NEVER;
});

/** A variable of Temporal's other SDKs. The Node SDK always verifies the host name. */
export const hostVerification = z
  .stringbool()
  .refine(
    (disabled) => !disabled,
    'is not supported; set TEMPORAL_TLS_SERVER_NAME to the name in the certificate of the server',
  );

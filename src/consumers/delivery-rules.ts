import { z } from 'zod';
import type { DeliveryOptions } from '../accounts/delivery-options.ts';
import { maxStatuses, namesAStatus, statusMistake } from '../accounts/status-list.ts';
import { comparableName, isReservedHeader } from '../shared/reserved-headers.ts';
import { durationBetween } from '../shared/setting-types.ts';
import { authentication, authorities, headerName } from './authentication-rules.ts';

/** The most fixed headers of a consumer. */
const maxHeaders = 20;

/** RFC 9110, section 5.5: what reaches every consumer unchanged. */
const headerValue = z
  .string()
  .max(1000)
  .regex(
    /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/,
    'must be printable ASCII without line ends, and without spaces at its ends',
  );

function headersMistakes(headers: Record<string, string>): { name: string; message: string }[] {
  const names = Object.keys(headers);
  const compared = names.map(comparableName);
  return names.flatMap((name, n) => {
    const own = compared[n] ?? '';
    const mistake = headerName.safeParse(name).error?.issues[0]?.message;
    if (mistake !== undefined) return [{ name, message: mistake }];
    if (own === 'authorization') return [{ name, message: 'is set with authentication' }];
    if (isReservedHeader(own)) return [{ name, message: 'is set by the gateway, or belongs to one connection' }];
    return compared.indexOf(own) === n ? [] : [{ name, message: `is the same as ${names[compared.indexOf(own)]}` }];
  });
}

const headers = z
  .record(z.string(), headerValue)
  .superRefine((given, context) => {
    if (Object.keys(given).length > maxHeaders)
      context.addIssue({ code: 'custom', message: `must have at most ${maxHeaders} headers` });
    for (const { name, message } of headersMistakes(given)) context.addIssue({ code: 'custom', path: [name], message });
  })
  .meta({
    description: `At most ${maxHeaders} further headers, by name. They are shown, so they are not for secrets. A header of the webhook with the same name is not forwarded. \`null\` or \`{}\`: none`,
    examples: [{ 'x-team': 'billing' }],
  });

const statuses = z
  .array(
    z.string().superRefine((entry, context) => {
      const mistake = statusMistake(entry);
      if (mistake !== null) context.addIssue({ code: 'custom', message: mistake });
    }),
  )
  .min(1)
  .max(maxStatuses)
  .refine(namesAStatus, 'must name a status that is no exception');

/** The most delays of a schedule: one less than its attempts. */
const maxDelays = 20;
const longestScheduleMs = 7 * 24 * 3_600_000;
const delayMs = durationBetween('1ms', '168h');
const timeoutMs = durationBetween('1s', '60s');

/** The fields of a consumer that say how it is reached. */
export const deliveryFields = {
  headers: headers.nullable(),
  authentication: authentication.nullable(),
  ca: authorities.nullable().meta({
    description:
      'Certificates of the authorities, in PEM, that the consumer is trusted by: only these. For an `https:` URL. `null`: those of Node.js and `NODE_EXTRA_CA_CERTS`',
  }),
  timeout: z
    .string()
    .superRefine((given, context) => {
      for (const { message } of timeoutMs.safeParse(given).error?.issues ?? [])
        context.addIssue({ code: 'custom', message });
    })
    .nullable()
    .meta({ description: 'Time limit of a delivery, 1s to 60s. `null`: `DELIVERY_TIMEOUT`', examples: ['30s'] }),
  schedule: z
    .array(z.string())
    .max(maxDelays)
    .superRefine((given, context) => {
      const delays = given.map((text) => delayMs.safeParse(text));
      for (const [n, delay] of delays.entries())
        for (const { message } of delay.error?.issues ?? []) context.addIssue({ code: 'custom', path: [n], message });
      const totalMs = delays.reduce((sum, { data = 0 }) => sum + data, 0);
      if (totalMs > longestScheduleMs) context.addIssue({ code: 'custom', message: 'must be at most 7 days in all' });
    })
    .nullable()
    .meta({
      description: `The delays between attempts: up to ${maxDelays}, so 1 to ${maxDelays + 1} attempts, and at most 7 days in all. It applies to events that begin, are replayed or wait in the queue afterwards. \`null\`: \`DELIVERY_SCHEDULE\``,
      examples: [['10s', '1m', '10m', '1h']],
    }),
  success: statuses.nullable().meta({
    description: `Statuses with which the event is delivered: up to ${maxStatuses} of \`410\`, \`2xx\`, \`200-204\` and exceptions such as \`!202\`. \`null\`: \`["2xx"]\``,
    examples: [['2xx', '!202']],
  }),
  final: statuses.nullable().meta({
    description:
      'Statuses after which the event fails at once, with its notifications. One that is also in `success` is a success. `null`: none',
    examples: [['410']],
  }),
};

type OptionFields = {
  headers?: Record<string, string> | null | undefined;
  timeout?: string | null | undefined;
  schedule?: string[] | null | undefined;
  success?: string[] | null | undefined;
  final?: string[] | null | undefined;
};

/** The stored options after a change; null if nothing is left of them. Absent fields stay, null clears one. */
export function changedOptions(stored: DeliveryOptions | null, change: OptionFields): DeliveryOptions | null {
  const { headers: given, timeout, schedule, success, final } = change;
  const changed = {
    ...stored,
    ...(given !== undefined && { headers: given && Object.keys(given).length > 0 ? given : null }),
    ...(timeout !== undefined && { timeoutMs: timeout && timeoutMs.parse(timeout) }),
    ...(schedule !== undefined && { delaysMs: schedule?.map((delay) => delayMs.parse(delay)) ?? null }),
    ...(success !== undefined && { success }),
    ...(final !== undefined && { final }),
  };
  const left = Object.entries(changed).filter(([, value]) => value !== null);
  return left.length === 0 ? null : Object.fromEntries(left);
}

const units = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `90m`, `1.5s` as `1500ms`: in the largest unit in which it is whole. */
function durationText(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

/** The options in the form of the admin API. */
export const optionsView = (options: DeliveryOptions | null) => ({
  headers: { ...options?.headers },
  timeout: options?.timeoutMs === undefined ? null : durationText(options.timeoutMs),
  schedule: options?.delaysMs ? options.delaysMs.map(durationText) : null,
  success: options?.success ? [...options.success] : null,
  final: options?.final ? [...options.final] : null,
});

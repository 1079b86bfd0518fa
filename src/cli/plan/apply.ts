import type { AdminApiClient } from '../../api/client.ts';
import { defaultName } from '../../consumers/consumer-rules.ts';
import { answered } from '../answered.ts';
import { CliError } from '../exit.ts';
import { put } from './compare.ts';
import type { FieldChange, Step } from './plan.ts';

type Accounts = AdminApiClient['accounts'];
type OfAccount = ReturnType<Accounts>;
type NewAccount = Parameters<Accounts['post']>[0];
type NewConsumer = Parameters<OfAccount['consumers']['post']>[0];
type NewDestination = Parameters<OfAccount['destinations']['post']>[0];

/**
 * Makes the steps one after another, and stops at the first that fails.
 *
 * @param options.ids of the accounts, by `provider/slug`; new ones are added
 * @param options.rotate keeps the stored secrets as previous ones
 */
export async function makeSteps(
  admin: AdminApiClient,
  steps: readonly Step[],
  options: { ids: Map<string, string>; rotate: boolean; onDone: (step: Step) => void },
): Promise<void> {
  for (const step of steps) {
    await makeStep(admin, step, options);
    options.onDone(step);
  }
}

async function makeStep(
  admin: AdminApiClient,
  step: Step,
  { ids, rotate }: { ids: Map<string, string>; rotate: boolean },
): Promise<void> {
  const { action, kind, account, name, changes } = step;
  if (kind === 'account' && action === 'create') {
    const [provider = '', account_slug = ''] = account.split('/');
    // The types of bodies cannot be told from paths of fields; the file was checked with the same schemas.
    const created = answered(await admin.accounts.post({ provider, account_slug, ...bodyOf(changes) } as NewAccount));
    ids.set(account, created.id);
    return;
  }
  const calls = admin.accounts({ account_id: ids.get(account) ?? '' });
  const body = bodyOf(changes);
  if (kind === 'account') answered(await calls.patch({ ...body, ...rotation(step, rotate) }));
  else if (kind === 'consumer') await consumerStep(calls, step, { name, ...body } as NewConsumer, rotate);
  else await destinationStep(calls, step, { name, ...body } as NewDestination);
}

async function consumerStep(calls: OfAccount, step: Step, body: NewConsumer, rotate: boolean): Promise<void> {
  const consumer = calls.consumers({ consumer: step.name });
  if (step.action === 'create') answered(await calls.consumers.post(body));
  else if (step.action === 'delete') answered(await consumer.delete());
  else {
    const { name: _, ...change } = body;
    answered(await consumer.patch({ ...change, ...rotation(step, rotate) }));
  }
}

async function destinationStep(calls: OfAccount, step: Step, body: NewDestination): Promise<void> {
  const destination = calls.destinations({ destination_id: step.id ?? '' });
  if (step.action === 'create') answered(await calls.destinations.post(body));
  else if (step.action === 'delete') answered(await destination.delete());
  else answered(await destination.patch(body));
}

function bodyOf(changes: readonly FieldChange[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { field, send } of changes) put(body, field.split('.'), send);
  return body;
}

const rotated = new Set(['signing_secret_current', 'delivery_secret', 'project_delivery_secret', 'secret']);

/** Keeps the stored secret as the previous one, if one is stored. */
function rotation({ changes, name }: Step, rotate: boolean): { rotate?: true } {
  const isRotated = changes.some(({ field, replaces, send }) => rotated.has(field) && replaces && send !== null);
  return rotate && isRotated && name !== defaultName ? { rotate: true } : {};
}

/** The error of a step, with how far the steps have come. */
export function stopped(
  error: unknown,
  { steps, done }: { steps: readonly Step[]; done: number },
  nameOf: (step: Step) => string,
): unknown {
  const step = steps[done];
  if (!(error instanceof CliError) || !step) return error;
  return new CliError(
    error.exitCode,
    `${nameOf(step)}: ${error.message}`,
    `${done} of ${steps.length} steps were made. Correct the cause and apply again: it goes on with the others. ${error.next}`,
  );
}

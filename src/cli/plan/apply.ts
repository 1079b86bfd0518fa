import type { AdminApiClient } from '../../api/client.ts';
import { answered } from '../answered.ts';
import { CliError } from '../exit.ts';
import { setPath } from '../set-path.ts';
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
  if (kind === 'account') await changeAccount(calls, step, rotate);
  else if (kind === 'consumer') await consumerStep(calls, step, { name, ...body } as NewConsumer, rotate);
  else await destinationStep(calls, step, { name, ...body } as NewDestination);
}

async function consumerStep(calls: OfAccount, step: Step, body: NewConsumer, rotate: boolean): Promise<void> {
  const consumer = calls.consumers({ consumer: step.name });
  if (step.action === 'create') answered(await calls.consumers.post(body));
  else if (step.action === 'delete') answered(await consumer.delete());
  else {
    const { name: _, ...change } = body;
    const isRotated = rotate && step.changes.some((one) => keepsStored(step, one));
    answered(await consumer.patch({ ...change, ...(isRotated ? { rotate: true } : {}) }));
  }
}

/**
 * One request, or two if some secrets cannot be rotated: `rotate` is for each secret that is sent. The rotated ones come
 * first. With them the secrets before and after are in force, so that nothing is lost if the rest fails, and applying
 * again sends only the rest, since they differ no more.
 */
async function changeAccount(calls: OfAccount, step: Step, rotate: boolean): Promise<void> {
  const { changes } = step;
  const rotated = rotate ? changes.filter((one) => keepsStored(step, one)) : [];
  const others = changes.filter(({ field }) => secrets.has(field)).filter((one) => !rotated.includes(one));
  if (rotated.length === 0 || others.length === 0) {
    answered(await calls.patch({ ...bodyOf(changes), ...(rotated.length > 0 ? { rotate: true } : {}) }));
    return;
  }
  // The gateway judges a signing secret by the settings of its provider.
  const withConfig = rotated.some(({ field }) => field === signingSecret);
  const isFirst = (one: FieldChange) =>
    rotated.includes(one) || (withConfig && one.field.startsWith('provider_config.'));
  answered(await calls.patch({ ...bodyOf(changes.filter(isFirst)), rotate: true }));
  try {
    answered(await calls.patch(bodyOf(changes.filter((one) => !isFirst(one)))));
  } catch (error) {
    throw afterRotation(error, rotated);
  }
}

/** The error of the second request: the step is not made, but its secrets are rotated. */
function afterRotation(error: unknown, rotated: readonly FieldChange[]): unknown {
  if (!(error instanceof CliError)) return error;
  const names = rotated.map(({ field }) => field).join(', ');
  return new CliError(error.exitCode, `${error.message} (rotated already: ${names})`, error.next);
}

async function destinationStep(calls: OfAccount, step: Step, body: NewDestination): Promise<void> {
  const destination = calls.destinations({ destination_id: step.id ?? '' });
  if (step.action === 'create') answered(await calls.destinations.post(body));
  else if (step.action === 'delete') answered(await destination.delete());
  else answered(await destination.patch(body));
}

function bodyOf(changes: readonly FieldChange[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { field, send } of changes) setPath(body, field.split('.'), send);
  return body;
}

const signingSecret = 'signing_secret_current';
/** The secrets that can be rotated. */
const secrets = new Set([signingSecret, 'delivery_secret', 'project_delivery_secret', 'secret']);

/** Whether a rotation keeps the stored secret of a change as the previous one. */
const keepsStored = ({ signsWithKey }: Step, { field, replaces, send }: FieldChange): boolean =>
  secrets.has(field) && replaces === true && send !== null && (field === signingSecret || !signsWithKey);

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

import type { Cli } from '../cli.ts';
import { CliError, exitCodes } from '../exit.ts';
import { writeNewFile } from '../new-file.ts';
import { makeSteps, stopped } from './apply.ts';
import { type CurrentAccount, readCurrent } from './current.ts';
import { exportText } from './export.ts';
import { makePlan } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { readPlanFile, type WantedAccount } from './read-file.ts';
import { nameOf, planDocument, showPlan, summaryOf } from './show-plan.ts';

/** The options of `plan` and `apply`. */
export interface FileOptions {
  file: string;
  prune?: boolean;
}

interface Read {
  wanted: WantedAccount[];
  current: CurrentAccount[];
  plan: Plan;
}

async function readPlan(cli: Cli, { file, prune = false }: FileOptions): Promise<Read> {
  const wanted = await readPlanFile(file, cli.env);
  const current = await readAccounts(cli, wanted);
  return { wanted, current, plan: await makePlan(cli, { wanted, current, prune }) };
}

const readAccounts = (cli: Cli, wanted: readonly WantedAccount[]) =>
  readCurrent(cli.admin(), new Set(wanted.map(({ name }) => name)));

/** `plan`: shows what differs. @throws CliError `differs` if something does */
export async function plan(cli: Cli, options: FileOptions): Promise<void> {
  const { plan: made } = await readPlan(cli, options);
  if (cli.out.json) cli.out.document(planDocument(made));
  showPlan(cli, made);
  if (made.steps.length > 0)
    throw new CliError(
      exitCodes.differs,
      `The gateway differs from ${options.file}.`,
      '`webhook-gateway apply` with the same options makes these changes.',
    );
}

/** `apply`: makes the gateway as the file says. */
export async function apply(cli: Cli, options: FileOptions & { rotate?: boolean }): Promise<void> {
  const { wanted, current, plan: made } = await readPlan(cli, options);
  const { steps } = made;
  showPlan(cli, made);
  refuseUnset(made);
  if (steps.length > 0) {
    await cli.prompts.confirm(`Make these changes (${summaryOf(steps)})?`);
    refuseOther(current, await readAccounts(cli, wanted));
  }
  let done = 0;
  try {
    await makeSteps(cli.admin(), steps, {
      ids: new Map(current.map(({ name, id }) => [name, id])),
      rotate: options.rotate === true,
      onDone(step) {
        done += 1;
        cli.out.text(`${cli.out.colors.green('✓')} ${nameOf(step)}`);
      },
    });
  } catch (error) {
    throw stopped(error, { steps, done }, nameOf);
  } finally {
    if (cli.out.json) cli.out.document(planDocument(made, done));
  }
  if (steps.length > 0) cli.out.text(`Done: ${steps.length} of ${steps.length} steps.`);
}

/** A new object without its secret would not work, and nothing would say why. */
function refuseUnset({ unset }: Plan): void {
  const needed = unset.filter((one) => one.needed);
  if (needed.length === 0) return;
  const lines = needed.map((one) => `${nameOf(one)} ${one.field} needs ${one.reference}, which is not set`);
  throw new CliError(exitCodes.refused, lines.join('\n'), 'Nothing was changed. Set them, or remove these fields.');
}

/** Someone else may have changed the gateway while the question waited. */
function refuseOther(before: readonly CurrentAccount[], after: readonly CurrentAccount[]): void {
  const versions = (accounts: readonly CurrentAccount[]) =>
    JSON.stringify(
      accounts.map((account) =>
        [account, ...account.consumers, ...account.destinations].map(({ id, updatedAt }) => [id, updatedAt]),
      ),
    );
  if (versions(before) === versions(after)) return;
  throw new CliError(
    exitCodes.failed,
    'the gateway has changed since the plan was made',
    'Nothing was changed. Apply again, which makes a new plan.',
  );
}

/** `export`: writes settings of the gateway as a file. */
export async function exportFile(
  cli: Cli,
  { account, output }: { account?: string[]; output?: string },
): Promise<void> {
  const current = await readCurrent(cli.admin(), account ? new Set(account) : null);
  const missing = account?.find((name) => !current.some((one) => one.name === name));
  if (missing !== undefined)
    throw new CliError(
      exitCodes.notFound,
      `there is no account ${missing}`,
      '`webhook-gateway accounts list` shows those that there are.',
    );
  const text = exportText(current);
  if (output !== undefined) writeNewFile(output, text);
  else await cli.out.bytes(Buffer.from(text));
}

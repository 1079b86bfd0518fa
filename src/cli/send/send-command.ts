import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addressOf } from '../connection.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { parseHeader, readBytes } from '../inputs.ts';
import { repeated, wholeNumber } from '../options.ts';
import { contentOfFile, contentOfSample, type MakeContent, parseSampleName } from './make-message.ts';
import { sampleNames } from './samples/samples.ts';
import { type SentWebhook, sendWebhooks } from './send-webhooks.ts';
import { type AccountOptions, sendingAccount } from './sending-account.ts';

interface Options extends AccountOptions {
  file?: string;
  contentType?: string;
  set?: string[];
  header?: string[];
  wrongSignature?: boolean;
  times: number;
  rate?: number;
  address?: string;
}

/** `send`: webhooks as a provider sends them, with a valid signature. */
export function addSendCommand(program: Command, cli: Cli): void {
  program
    .command('send [sample]')
    .description('Send a webhook as its provider would: a sample, or the body in a file')
    .option('--account <account>', 'where to: provider/slug or an id')
    .option('--test-account', 'send to an account cli-test of the provider, which is made with a secret of its own')
    .option('--secret-file <path>', 'file with the signing secret, or the private key in PEM; - for standard input')
    .option('--set <field=value>', 'set a field of the body, such as data.object.amount=5 (repeatable)', repeated)
    .option('--file <path>', 'send this body instead of a sample; - for standard input')
    .option('--content-type <type>', 'content type of --file (default: application/json)')
    .option("--header <'name: value'>", 'add a header, or replace one of the sample (repeatable)', repeated)
    .option('--wrong-signature', 'sign with another secret: the gateway should refuse it')
    .option('--times <count>', 'send so many, each with new ids', wholeNumber, 1)
    .option('--rate <count>', 'so many a second; without it one after another', wholeNumber)
    .option('--address <url>', 'address that webhooks arrive at, if it is not that of the API')
    .addHelpText(
      'after',
      () =>
        `\nSamples:\n${sampleNames()
          .map((name) => `  ${name}`)
          .join('\n')}`,
    )
    .action((sample: string | undefined, options: Options) => send(cli, sample, options));
}

async function send(cli: Cli, sample: string | undefined, options: Options): Promise<void> {
  const { times, rate = null } = options;
  if (options.file === '-' && options.secretFile === '-')
    throw usageError('standard input cannot be both the body and the secret', 'Put one of them into a file.');
  const { provider, make } = await contentOf(cli, sample, options);
  const base = options.address === undefined ? cli.connection().baseUrl : addressOf(options.address);
  const account = await sendingAccount(cli, provider, options);
  const headers = (options.header ?? []).map(parseHeader);
  const wrongSignature = options.wrongSignature === true;
  const sent: Tally = { accepted: 0, refused: 0, problem: null, other: null };
  const startedMs = performance.now();
  await sendWebhooks(cli, { make, account, base, headers, wrongSignature, times, rate }, (one) => {
    if (one.problem === null) sent.accepted++;
    else sent.refused++;
    sent.problem ??= one.problem;
    if (one.problem !== failedCheck) sent.other ??= one.problem;
    if (times === 1) showOne(cli, `${account.provider}/${account.slug}`, one);
    else cli.out.line(one, lineOf(one));
  });
  if (times > 1)
    cli.out.note(
      `${sent.accepted} accepted, ${sent.refused} refused, in ${Math.round(performance.now() - startedMs)} ms`,
    );
  if (!cli.signal.aborted) judge(sent, wrongSignature);
}

interface Tally {
  accepted: number;
  refused: number;
  /** The first one. */
  problem: string | null;
  /** The first one that is not about the signature. */
  other: string | null;
}

/** The problem of a webhook whose signature the gateway has found wrong. */
const failedCheck = 'verification_failed';

async function contentOf(
  cli: Cli,
  sample: string | undefined,
  { file, contentType, set = [] }: Options,
): Promise<{ provider: string | null; make: MakeContent }> {
  const named = sample === undefined ? null : parseSampleName(sample);
  if (file !== undefined) {
    if (named?.type) throw usageError('a sample and --file cannot be combined', `Write only ${named.provider}.`);
    const body = await readBytes(cli, file);
    return { provider: named?.provider ?? null, make: contentOfFile(body, { contentType, settings: set }) };
  }
  if (named === null)
    throw usageError('the sample is missing', '`webhook-gateway send --help` lists all. --file sends a file.');
  if (contentType !== undefined) throw usageError('--content-type belongs to --file', 'Leave it out for a sample.');
  return { provider: named.provider, make: contentOfSample(named.provider, named.type, set) };
}

function showOne(cli: Cli, account: string, one: SentWebhook): void {
  cli.out.record(
    [
      ['answer', one.problem === null ? one.status : `${one.status} ${one.problem}`],
      ['account', account],
      ['event', one.event_id],
      ['type', one.event_type],
      ['duplicate', one.duplicate],
      ['ms', one.ms],
    ],
    one,
  );
  if (one.event_id !== null) cli.out.note(`Next: webhook-gateway events show ${one.event_id}`);
}

const lineOf = ({ status, problem, event_id, event_type, ms }: SentWebhook) =>
  [status, problem ?? event_id ?? '-', event_type ?? '-', `${ms} ms`].join('  ');

/** Decides the exit code: a wrong signature must be refused for that reason, and anything else accepted. */
function judge({ accepted, refused, problem, other }: Tally, wrongSignature: boolean): void {
  if (wrongSignature) {
    if (accepted > 0)
      throw new CliError(
        exitCodes.failed,
        'the gateway accepted a webhook with a wrong signature',
        'The account skips verification, or it has no secret: `webhook-gateway accounts show`.',
      );
    if (other !== null)
      throw new CliError(exitCodes.failed, `no signature was checked: the answer was ${other}`, nextOf(other));
    return;
  }
  if (refused > 0) throw new CliError(exitCodes.refused, `the gateway refused: ${problem}`, nextOf(problem));
}

function nextOf(problem: string | null): string {
  switch (problem) {
    case failedCheck:
      return 'The event in `webhook-gateway events list --state rejected` has the reason. Is this the secret of the account?';
    case 'account_disabled':
      return 'Enable the account: `webhook-gateway accounts update`.';
    case 'account_not_found':
      return '`webhook-gateway accounts list` shows the accounts that there are.';
    default:
      return '`webhook-gateway status` shows whether the gateway is well.';
  }
}

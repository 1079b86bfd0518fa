import type { Command } from 'commander';
import { inboundRequest } from '../../providers/inbound-request.ts';
import { rejectionReasons } from '../../providers/provider.ts';
import { providerNames, providers } from '../../providers/registry.ts';
import { verifyInbound } from '../../providers/verification.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { parseHeader, readBytes } from '../inputs.ts';
import {
  configOf,
  inputsOf,
  queryLabel,
  type SchemeOptions,
  splitAddress,
  verifyingSecret,
  withSchemeOptions,
} from './sign-command.ts';

interface Options extends SchemeOptions {
  headersFile?: string;
  at?: string;
}

/** `verify`: checks a signature with the code of the gateway. */
export function addVerifyCommand(program: Command, cli: Cli): void {
  withSchemeOptions(program.command('verify <provider>'))
    .description('Check the signature of a webhook as the gateway would, without a gateway')
    .option(
      '--headers-file <path>',
      'file with what `sign` has printed: a header in each line, then the query of the address if it has one',
    )
    .option('--at <time>', 'when it was received, for schemes that sign the time (default: now)')
    .addHelpText(
      'after',
      '\n`verify standard` also checks what the gateway delivers, with the delivery secret or the public key.',
    )
    .action((provider: string, options: Options) => verify(cli, provider, options));
}

async function verify(cli: Cli, name: string, options: Options): Promise<void> {
  const provider = providers.get(name);
  if (!provider) throw usageError(`${name} is not a provider`, `Providers: ${providerNames.join(', ')}.`);
  const config = provider.config.safeParse(configOf(options.config));
  if (!config.success)
    throw usageError(
      `--config is not valid: ${config.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
      'docs/providers.md lists the fields.',
    );
  const receivedAt = timeOf(options.at);
  const { headers, query } = await printedOf(cli, options);
  const { body, secret: given } = await inputsOf(cli, name, options);
  const secret = verifyingSecret(name, given);
  const problem = provider.secret.problem?.(secret, config.data);
  if (problem) throw usageError(`the secret ${problem}`, provider.secret.hint);
  const { base, path } = splitAddress(options.address);
  const request = inboundRequest({
    rawHeaders: headers.flat(),
    ...{ target: path + query, publicUrl: base, body, receivedAt },
  });
  const verdict = verifyInbound(
    provider,
    { skip: false, current: secret, previous: null, config: config.data },
    request,
  );
  if (!verdict.ok)
    throw new CliError(
      exitCodes.failed,
      `not valid: ${verdict.reason}. ${verdict.detail ?? rejectionReasons[verdict.reason]}`,
      hintOf(verdict.reason),
    );
  const type = provider.eventType(request, config.data);
  const { id } = provider.externalId(request, config.data);
  cli.out.record(
    [
      ['valid', true],
      ['type', type],
      ['id', id],
    ],
    { valid: true, event_type: type, external_id: id },
  );
}

/** The headers, and what `sign` adds to the address, with its `?` or `&`; empty: nothing. */
async function printedOf(cli: Cli, { headersFile, header = [], contentType, bodyFile }: Options) {
  if (headersFile === '-' && bodyFile === '-')
    throw usageError('standard input cannot be both the body and the headers', 'Put one of them into a file.');
  const file = headersFile === undefined ? '' : (await readBytes(cli, headersFile)).toString('latin1');
  const lines = file.split(/\r?\n/).filter((line) => line.trim() !== '');
  const query = lines.find((line) => line.startsWith(queryLabel))?.slice(queryLabel.length) ?? '';
  const headers = [...lines.filter((line) => !line.startsWith(queryLabel)), ...header].map(parseHeader);
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return { headers: hasType ? headers : [['Content-Type', contentType] as const, ...headers], query };
}

function timeOf(text: string | undefined): Date {
  const at = text === undefined ? new Date() : new Date(text);
  if (Number.isNaN(at.getTime())) throw usageError(`'${text}' is not a time`, 'Write it as 2026-11-20T10:00:00Z.');
  return at;
}

function hintOf(reason: string): string {
  if (reason === 'stale_timestamp') return 'Add --at with the time when it was received.';
  if (reason === 'bad_signature') return 'Are body and address exactly as they were sent? One changed byte is enough.';
  return 'docs/providers.md says which headers and which secret the provider has.';
}

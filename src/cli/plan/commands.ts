import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import type { FileOptions } from './actions.ts';

// The grammar of conditions takes longer to load than most commands take.
const actions = () => import('./actions.ts');

const fileOption = ['-f, --file <path>', 'file with the settings', 'gateway.yaml'] as const;
const pruneOption = [
  '--prune',
  'also delete consumers and destinations of its accounts that are not in the file; never accounts',
] as const;

/** `plan`, `apply` and `export`: settings of the gateway in a file. */
export function addPlanCommands(program: Command, cli: Cli): void {
  program
    .command('plan')
    .description('Show what differs between gateway.yaml and the gateway; exit code 5 if something does')
    .option(...fileOption)
    .option(...pruneOption)
    .action(async (options: FileOptions) => (await actions()).plan(cli, options));
  program
    .command('apply')
    .description('Make the gateway as gateway.yaml says')
    .option(...fileOption)
    .option(...pruneOption)
    .option('--rotate', 'keep replaced secrets as previous ones, so that both are in force for a time')
    .action(async (options: FileOptions & { rotate?: boolean }) => (await actions()).apply(cli, options));
  program
    .command('export')
    .description('Write accounts, consumers and destinations as gateway.yaml; secrets become references')
    .option('--account <account...>', 'only these, as provider/slug; all by default')
    .option('-o, --output <path>', 'write to this file, which must not exist; standard output by default')
    .action(async (options: { account?: string[]; output?: string }) => (await actions()).exportFile(cli, options));
}

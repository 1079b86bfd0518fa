import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addAccountsCommands } from './commands/accounts.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupsCommands } from './commands/backups.ts';
import { addConsumersCommands } from './commands/consumers.ts';
import { addDeliveriesCommands } from './commands/deliveries.ts';
import { addDestinationsCommands } from './commands/destinations.ts';
import { addEventsCommands } from './commands/events.ts';
import { addIncidentsCommands } from './commands/incidents.ts';
import { addLoginCommands } from './commands/login.ts';
import { addMaintenanceCommands } from './commands/maintenance.ts';
import { addPauseCommands } from './commands/pause.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTokensCommands } from './commands/tokens.ts';
import { addListenCommand } from './listen/listen-command.ts';
import { helpLayout } from './output/narrow-help.ts';
import { addPlanCommands } from './plan/commands.ts';
import { addSendCommands } from './send/add-send-commands.ts';
import { version } from './version.ts';

/** The program with all its commands. Each module of `commands/` adds those of one noun. */
export function createProgram(cli: Cli): Command {
  const program = new Command('webhook-gateway')
    .description('Operates a webhook gateway: accounts, events, deliveries, backups.')
    .version(version)
    .option('--url <address>', 'address of the gateway (GATEWAY_URL)')
    .option('--token <token>', 'admin token; other users of the machine can see it: prefer GATEWAY_TOKEN or login')
    .option('--profile <name>', 'profile that `login` has saved')
    .option('--json', 'JSON for scripts: one document, or one line for each item of a stream')
    .option('-y, --yes', 'confirm what would be asked')
    .configureHelp({ showGlobalOptions: true, ...helpLayout })
    .showSuggestionAfterError()
    .showHelpAfterError('Add --help to see the arguments and options.')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 refused, 5 differs, 130 Ctrl-C',
    );
  addLoginCommands(program, cli);
  addStatusCommand(program, cli);
  addAccountsCommands(program, cli);
  addConsumersCommands(program, cli);
  addDestinationsCommands(program, cli);
  addEventsCommands(program, cli);
  addListenCommand(program, cli);
  addSendCommands(program, cli);
  addDeliveriesCommands(program, cli);
  addIncidentsCommands(program, cli);
  addPauseCommands(program, cli);
  addTokensCommands(program, cli);
  addAuditCommands(program, cli);
  addBackupsCommands(program, cli);
  addMaintenanceCommands(program, cli);
  addPlanCommands(program, cli);
  // Last, so that it knows all commands. Shells call the hidden command `complete` for suggestions.
  tab(program, { completionCommandName: 'completion' });
  return program;
}

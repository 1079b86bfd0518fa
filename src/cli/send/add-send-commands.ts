import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addSendCommand } from './send-command.ts';
import { addSignCommand } from './sign-command.ts';
import { addVerifyCommand } from './verify-command.ts';

/** `send`, `sign` and `verify`. */
export function addSendCommands(program: Command, cli: Cli): void {
  addSendCommand(program, cli);
  addSignCommand(program, cli);
  addVerifyCommand(program, cli);
}

import type { Command } from 'commander';
import { type MaintenanceTaskName, maintenanceTaskNames } from '../../maintenance/tasks.ts';
import { answered } from '../answered.ts';
import type { Cli } from '../cli.ts';
import { age } from '../output/ages.ts';

/** `maintenance`: list, runs, run, pause, resume. */
export function addMaintenanceCommands(program: Command, cli: Cli): void {
  const maintenance = program.command('maintenance').description('What the gateway does for itself, on a schedule');
  const taskArgument = () => program.createArgument('<task>', 'name of the task').choices(maintenanceTaskNames);
  const task = (name: MaintenanceTaskName) => cli.admin().upkeep({ name });
  maintenance
    .command('list')
    .description('List maintenance tasks, with their last runs')
    .action(async () =>
      cli.out.table(
        [
          { title: 'TASK', value: (row) => row.name },
          { title: 'LAST', value: (row) => row.last_run && age(row.last_run.started_at), right: true },
          { title: 'OUTCOME', value: (row) => row.last_run?.outcome },
          { title: 'PAUSED', value: (row) => row.paused },
          { title: 'NEXT RUN', value: (row) => row.next_run_at, optional: true },
        ],
        answered(await cli.admin().upkeep.get()),
      ),
    );
  maintenance
    .command('runs')
    .description('List the runs of a task')
    .addArgument(taskArgument())
    .action(async (name: MaintenanceTaskName) =>
      cli.out.table(
        [
          { title: 'STARTED', value: (row) => row.started_at },
          { title: 'OUTCOME', value: (row) => row.outcome },
          { title: 'ERROR', value: (row) => row.error, optional: true },
        ],
        answered(await task(name).runs.get()),
      ),
    );
  const orders = [
    ['run', 'trigger', 'Run a task now'],
    ['pause', 'pause', 'Pause the schedule of a task'],
    ['resume', 'resume', 'Resume the schedule of a task'],
  ] as const;
  for (const [command, order, description] of orders)
    maintenance
      .command(command)
      .description(description)
      .addArgument(taskArgument())
      .action(async (name: MaintenanceTaskName) => {
        const changed = answered(await task(name)[order].post());
        const { scheduled, paused, running } = changed;
        cli.out.record(Object.entries({ task: changed.name, scheduled, paused, running }), changed);
      });
}

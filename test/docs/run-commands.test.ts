import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatewaysEndWithTheirTest } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';
import { notRun } from './not-run.ts';
import { learnIds, prepareIds, prepareIncident, shellFor, tidyUp } from './page-settings.ts';
import type { Ran, Served, Shell } from './shell.ts';
import { commandsByPage, placeholder } from './shell-commands.ts';
import { type Stage, start, startStage } from './stage.ts';
import { filledIn } from './values.ts';
import { plain, type Way, ways, wholeGateway } from './ways.ts';

gatewaysEndWithTheirTest('file');

const left = new Set([start, ...notRun.flatMap(({ commands }) => commands)]);
const isRun = (text: string) => !left.has(text);

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage?.stop());

const pagesToRun = [...commandsByPage].filter(([, commands]) => commands.some(({ text }) => isRun(text)));

// Each page is read from its beginning, so its commands are one test.
test.each(pagesToRun)('the commands of %s do what the page says', async (page, commands) => {
  const texts = commands.map(({ text }) => text).filter(isRun);
  const { shell, folder } = await shellFor(page, stage);
  const served: { command: string; way: Way; process: Served }[] = [];
  const endAll = async () => {
    for (const { command, way, process } of served.splice(0)) judge(command, way, await process.interrupt(), folder);
  };
  try {
    if (/\$(ACCOUNT|EVENT|DESTINATION)_ID\b/.test(texts.join('\n'))) await prepareIds(shell, stage);
    if (/\$INCIDENT_ID\b/.test(texts.join('\n'))) await prepareIncident(shell, stage);
    for (const text of texts) {
      const way = ways[text] ?? (plain.test(text) ? {} : undefined);
      if (way === undefined) throw new Error(`neither ways.ts nor not-run.ts names this: ${text}`);
      if (way.needs !== undefined && spawnSync(way.needs, ['--version']).error) continue;
      const command = await filledIn(text, stage);
      expect(command.match(placeholder), `values.ts has no value for a placeholder of: ${text}`).toBe(null);
      if (way.until === undefined) await runOne(shell, text, command, way, folder);
      else {
        // The checkout has one data folder, for one gateway at a time.
        if (way.until === wholeGateway) await endAll();
        const process = await shell.serve(command);
        served.push({ command: text, way, process });
        await process.printed(way.until);
      }
    }
    await endAll();
  } finally {
    await shell.end();
    await tidyUp(stage);
  }
});

async function runOne(shell: Shell, text: string, command: string, way: Way, folder: string): Promise<void> {
  // Temporal may exceed the time limit of a call, when many tests share one server.
  const ran = await until(`Temporal answers in time: ${text}`, async () => {
    const once = await shell.run(command);
    return !(once.answers.includes(503) && once.stdout.includes('"engine_unavailable"')) && once;
  });
  judge(text, way, ran, folder);
  learnIds(shell, text, ran.stdout);
}

/** Fails if the command has failed. */
function judge(command: string, way: Way, ran: Ran, folder: string): void {
  const said = `${command}\n${ran.stdout.slice(-3000)}\n${ran.stderr.slice(-3000)}`;
  expect(way.statuses ?? [0], `the status of: ${said}`).toContain(ran.status);
  const isRight = (code: number) => (code >= 200 && code < 300) || way.answers?.codes.includes(code);
  expect(
    ran.answers.filter((code) => !isRight(code)),
    `the answer to: ${said}`,
  ).toEqual([]);
  if (way.writes) {
    const { name, content } = way.writes;
    const written = readdirSync(folder).filter((file) => name.test(file));
    expect(written, `the file of: ${said}`).toHaveLength(1);
    expect(readFileSync(join(folder, written[0] ?? ''), 'utf8')).toMatch(content);
  }
}

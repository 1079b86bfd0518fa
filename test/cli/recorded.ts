import { expect } from 'vitest';
import { until } from '../support/until.ts';
import { type CliOptions, runCli } from './support.ts';

/** What a real run has and each run has otherwise: ids, times, ages, ports. Replaced by something of the same width. */
function settled(text: string, env: Record<string, string>): string {
  const ids = new Map<string, string>();
  return (
    text
      .replaceAll(env.GATEWAY_URL ?? '', 'http://127.0.0.1:8080')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
        if (!ids.has(id)) ids.set(id, `01a1fb5c-32dd-7658-a59f-f1f2e11f47${String(ids.size + 10)}`);
        return ids.get(id) ?? id;
      })
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-11-20T10:00:00.000Z')
      // In a record, whose values are aligned to the left.
      .replaceAll(/(?<=^\w[\w. ]* {2})\d{1,2}[sm]$/gm, '3s')
      .replaceAll(/(?<=\s) *\d{1,2}[sm](?=[\s,]|$)/gm, (age) => '3s'.padStart(age.length > 3 ? age.length : 2))
      .replaceAll(/\d+(\.\d+)? ms/g, '1.2 ms')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '5d41402abc4b2a76b9719d911017c592'.repeat(2))
  );
}

/**
 * What a command says when Temporal exceeds the time limit of a request, as it may when many tests share one server. A narrow
 * terminal breaks the line.
 */
export const engineLate = /Temporal\s+is\s+not\s+responding/;

const quoted = (arg: string) => (/^[\w./=:@-]+$/.test(arg) ? arg : `'${arg}'`);

/**
 * Runs a command, and compares what it prints with `recorded/<name>.txt`, which docs/cli.md shows. `vitest run -u` writes
 * the file.
 *
 * @param options.repeat whether to run it again until it ends with the wanted code, for what may be so a moment later
 * @param options.replace what else differs in each run: a pattern, and what is recorded in its place
 */
export async function expectRecorded(
  name: string,
  args: readonly string[],
  options: CliOptions & {
    env: Record<string, string>;
    code?: number;
    repeat?: boolean;
    replace?: readonly [RegExp, string][];
  },
): Promise<void> {
  const { code: wanted = 0, repeat = false } = options;
  const { code, stdout, stderr } = await until('it runs as wanted', async () => {
    const ran = await runCli(args, { columns: 80, ...options, env: { ...options.env, NO_COLOR: '1' } });
    return (ran.code === wanted || !(repeat || engineLate.test(ran.stderr))) && ran;
  });
  expect(code, stderr).toBe(wanted);
  const call = `$ webhook-gateway ${args.map(quoted).join(' ')}\n${stdout}${stderr}`;
  const replaced = (options.replace ?? []).reduce((text, [from, to]) => text.replaceAll(from, to), call);
  await expect(settled(replaced, options.env)).toMatchFileSnapshot(`recorded/${name.replaceAll(' ', '-')}.txt`);
}

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { chartFolder, refusedValues, renderedValues, valuesFiles } from './chart-values.ts';
import { checkProgram, helmProgram } from './programs.ts';

/**
 * `npm run chart`: packs the chart, lints and renders it with each file of test/helm/values, and checks what comes out
 * against the types of the Kubernetes API, of KEDA and of the Prometheus operator. Needs Go, and builds its programs once.
 */
const [helm, check] = [await helmProgram(), await checkProgram()];
const folder = await mkdtemp(join(tmpdir(), 'gateway-chart-'));
const mistakes: string[] = [];
const run = (program: string, args: string[], input?: string) =>
  execa(program, args, {
    reject: false,
    env: { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder },
    ...(input ? { input } : {}),
  });
try {
  // The package has the rules and the dashboard as files, where the folder has links.
  const packed = await run(helm, ['package', chartFolder, '--destination', folder]);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (!archive) throw new Error(`helm package failed: ${packed.stderr}`);

  for (const { name, path } of valuesFiles) {
    const before = mistakes.length;
    const lint = await run(helm, ['lint', '--strict', chartFolder, '--values', path]);
    if (lint.exitCode !== 0) mistakes.push(`${name}: helm lint:\n${lint.stdout}\n${lint.stderr}`);
    const args = ['--namespace', 'hooks', '--values', path];
    const rendered = await run(helm, ['template', 'hooks', chartFolder, ...args]);
    if (rendered.exitCode !== 0) mistakes.push(`${name}: helm template:\n${rendered.stderr}`);
    const ofPackage = await run(helm, ['template', 'hooks', join(folder, archive), ...args]);
    if (ofPackage.stdout !== rendered.stdout) mistakes.push(`${name}: the package renders something else`);
    const checked = await run(check, [], rendered.stdout);
    if (checked.exitCode !== 0) mistakes.push(`${name}:\n${checked.stderr}`);
    console.log(`${name}: ${mistakes.length > before ? 'FAILED' : `${checked.stdout.split('\n').length} objects`}`);
  }

  const minimal = valuesFiles.find(({ name }) => name === 'minimal')?.path ?? '';
  for (const { set, says } of refusedValues) {
    const { exitCode, stderr } = await run(helm, ['template', 'hooks', chartFolder, '--values', minimal, '--set', set]);
    if (exitCode === 0 || !stderr.includes(says))
      mistakes.push(`--set ${set} is not refused with '${says}':\n${stderr}`);
  }
  console.log(`${refusedValues.length} mistakes in values tried`);

  for (const { set, template, contains } of renderedValues) {
    const args = ['template', 'hooks', chartFolder, '--values', minimal, '--set', set];
    const { stdout, stderr } = await run(helm, [...args, '--show-only', `templates/${template}.yaml`]);
    if (!stdout.includes(contains)) mistakes.push(`--set ${set}: ${template} lacks '${contains}':\n${stdout}${stderr}`);
  }
  console.log(`${renderedValues.length} effects of values tried`);

  // The check itself finds what is wrong.
  const { stdout: good } = await run(helm, ['template', 'hooks', chartFolder, '--values', minimal]);
  for (const [from, to, says] of [
    ['replicas: 2', 'replica: 2', 'unknown field'],
    ['replicas: 2', 'replicas: two', 'cannot unmarshal'],
    ['runAsNonRoot: true', 'runAsNonRoot: false', 'may run as root'],
    ['port: metrics', 'port: other', 'has no port other'],
    ['mountPath: /tmp', 'mountPath: /tmp\n              mountPath: /var/tmp', 'already set'],
    ['kind: PodDisruptionBudget', 'kind: PodDisruptionBudgets', 'no kind'],
  ] as const) {
    const { exitCode, stderr } = await run(check, [], good.replaceAll(from, to));
    if (exitCode === 0 || !stderr.includes(says)) mistakes.push(`the check does not find '${to}':\n${stderr}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const mistake of mistakes) console.error(mistake);
console.log(mistakes.length === 0 ? 'The chart is valid.' : `${mistakes.length} mistakes`);
process.exitCode = mistakes.length === 0 ? 0 : 1;

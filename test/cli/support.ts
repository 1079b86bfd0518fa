import { Readable } from 'node:stream';
import { spawn } from '@lydell/node-pty';
import { run } from '../../src/cli/run-command.ts';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Collects what a command writes; a terminal if it has a width. */
const sink = (columns?: number, told: (text: string) => void = () => undefined) => {
  const chunks: Uint8Array[] = [];
  return {
    write(chunk: string | Uint8Array) {
      chunks.push(Buffer.from(chunk));
      told(Buffer.from(chunk).toString());
      return true;
    },
    once: () => undefined,
    text: () => Buffer.concat(chunks).toString(),
    ...(columns === undefined ? {} : { isTTY: true, columns }),
  };
};

export interface CliOptions {
  env?: Record<string, string>;
  /** Standard input; empty without. Never a terminal. */
  input?: string;
  /** The width of the terminal that standard output is; without, it is a pipe. */
  columns?: number;
  signal?: AbortSignal;
  /** Called with each part of standard output as it is written. */
  onOutput?: (text: string) => void;
}

/** Runs a command of the command line in this process. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const stdout = sink(options.columns, options.onOutput);
  const stderr = sink();
  const code = await run(['node', 'webhook-gateway', ...args], {
    ...{ stdout, stderr },
    stdin: Readable.from(options.input === undefined ? [] : [Buffer.from(options.input)]),
    // Without the profiles and colours of the user who runs the tests.
    env: { XDG_CONFIG_HOME: '/nonexistent', ...options.env },
    signal: options.signal ?? new AbortController().signal,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The environment that names a gateway of a test. */
export const gatewayEnv = (gateway: { baseUrl: string; adminToken: string }) => ({
  GATEWAY_URL: gateway.baseUrl,
  GATEWAY_TOKEN: gateway.adminToken,
});

export interface PtyRun {
  /** What the terminal has got until now, without escape sequences. */
  text(): string;
  /** The same with them. */
  raw(): string;
  write(keys: string): void;
  /** The exit code, once the process has ended. */
  ended: Promise<number>;
  kill(signal?: string): void;
}

/** Runs the command line as a process in a terminal of this width. */
export function ptyCli(
  args: readonly string[],
  options: {
    columns: number;
    rows?: number;
    env?: Record<string, string>;
    /** Node and the file to run. Default: the code of the repository. */
    program?: readonly [string, string];
  },
): PtyRun {
  const { NO_COLOR: _, ...inherited } = process.env;
  const { columns, rows = 40, env = {}, program = [process.execPath, 'src/cli/main.ts'] } = options;
  const terminal = spawn(program[0], [program[1], ...args], {
    cols: columns,
    rows,
    name: 'xterm-256color',
    env: { ...inherited, XDG_CONFIG_HOME: '/nonexistent', ...env },
  });
  let got = '';
  terminal.onData((data) => {
    got += data;
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of an escape sequence
    text: () => got.replace(/\u001b\[[0-9;?]*[a-zA-Z]/g, '').replaceAll('\r\n', '\n'),
    raw: () => got,
    write: (keys) => terminal.write(keys),
    ended,
    kill: (signal) => terminal.kill(signal),
  };
}

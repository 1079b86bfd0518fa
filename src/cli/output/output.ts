import pc from 'picocolors';
import type { Environment } from '../environment.ts';
import type { Cell, Column } from './column.ts';
import { recordText, tableText } from './table.ts';

/** Where a command writes. In the mode `json`, documents and lines are JSON and nothing else is on standard output. */
export interface Output {
  /** `--json` is set. */
  json: boolean;
  /** Width in characters; 80 if standard output is not a terminal. */
  columns: number;
  /** Standard output is a terminal. */
  terminal: boolean;
  /** Colours of picocolors; without effect for NO_COLOR and without a terminal. */
  colors: ReturnType<typeof pc.createColors>;
  /** A list. With `--json`: the rows as one array. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void;
  /** The fields of one thing. With `--json`: `document`, or the fields by their names. */
  record(pairs: readonly (readonly [name: string, value: Cell])[], document?: unknown): void;
  /** One indented JSON document, in both modes. */
  document(value: unknown): void;
  /** A text for people; nothing with `--json`. */
  text(text: string): void;
  /** An item of a stream: the text, or with `--json` the value as a line of NDJSON. */
  line(value: unknown, text: string): void;
  /** A note for people, on standard error. */
  note(text: string): void;
  /** Bytes as they are. Waits while the reader is slow. */
  bytes(chunk: Uint8Array): Promise<void>;
}

/** A stream that a command writes to: that of the process, or of a test. */
export interface Sink {
  write(chunk: string | Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

/** The output of one command. `json` is set once the arguments are read. */
export function createOutput(stdout: Sink, stderr: Sink, env: Environment): Output {
  const terminal = stdout.isTTY === true;
  const write = (text: string) => stdout.write(`${text}\n`);
  // What is piped is read by `grep` and others: nothing is left out, and no line is broken.
  const screen = () => ({ colors: output.colors, columns: terminal ? output.columns : Number.POSITIVE_INFINITY });
  const output: Output = {
    json: false,
    terminal,
    // Read at each use: people change the size of a window.
    get columns() {
      return (terminal && stdout.columns) || 80;
    },
    // https://no-color.org: any value that is not empty.
    colors: pc.createColors(terminal && !env.NO_COLOR && env.TERM !== 'dumb'),
    table(columns, rows) {
      if (output.json) output.document(rows);
      else if (rows.length === 0) output.note('Nothing found.');
      else write(tableText(columns, rows, screen()));
    },
    record(pairs, document) {
      if (output.json) output.document(document ?? Object.fromEntries(pairs));
      else write(recordText(pairs, screen()));
    },
    document: (value) => void write(JSON.stringify(value, null, 2)),
    text: (text) => void (output.json || write(text)),
    line: (value, text) => void write(output.json ? JSON.stringify(value) : text),
    note: (text) => void stderr.write(`${text}\n`),
    async bytes(chunk) {
      if (!stdout.write(chunk)) await new Promise<void>((resolve) => stdout.once('drain', resolve));
    },
  };
  return output;
}

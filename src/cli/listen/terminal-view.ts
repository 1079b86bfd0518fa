import { emitKeypressEvents } from 'node:readline';
import type { Cli } from '../cli.ts';
import { type Handled, lineOf, type View } from './view.ts';

/** Events that can be selected. Those before can be replayed with `webhook-gateway events replay`. */
const mostKept = 200;
/** Of their bodies. */
const mostKeptBytes = 16 * 1024 * 1024;

/** What a terminal has of Node's `tty.ReadStream`. */
interface KeyInput extends NodeJS.ReadableStream {
  setRawMode(on: boolean): unknown;
}

interface Key {
  name?: string;
  ctrl?: boolean;
}

export interface Keys {
  replay(one: Handled): Promise<void>;
  quit(): void;
  interrupt(): void;
}

/** Whether keys can be read and a line of the screen be written again. */
export const isInteractive = ({ out, stdin, env }: Cli): boolean =>
  out.terminal && !out.json && stdin.isTTY === true && 'setRawMode' in stdin && env.TERM !== 'dumb';

/**
 * For a terminal: a line for each event, and below them a line with the state, the keys, and the selected event. Arrows
 * select, `r` replays the selected event locally, and `q` ends.
 */
export function terminalView({ out, stdin }: Cli, keys: Keys): View {
  const input = stdin as unknown as KeyInput;
  const kept: Handled[] = [];
  let keptBytes = 0;
  /** Null: the newest one. */
  let selected: Handled | null = null;
  let shownState = 'connecting';
  let open = true;
  const write = (text: string) => out.bytes(Buffer.from(text));
  const current = () => selected ?? kept.at(-1) ?? null;
  const statusLine = () => {
    const one = current();
    const text = `[${shownState}] ↑↓ r q${one ? `  > ${lineOf(one)}` : ''}`;
    // A full line would move the cursor to the next one.
    return out.colors.inverse(text.slice(0, out.columns - 1));
  };
  const clear = '\r\u001b[K';
  const redraw = () => void write(`${clear}${open ? statusLine() : ''}`);
  const above = (text: string) => write(`${clear}${text}\n${open ? statusLine() : ''}`);

  function keep(one: Handled): void {
    kept.push(one);
    keptBytes += one.item.body.length;
    while (kept.length > mostKept || (keptBytes > mostKeptBytes && kept.length > 1)) {
      const dropped = kept.shift();
      keptBytes -= dropped?.item.body.length ?? 0;
      if (dropped === selected) selected = null;
    }
  }

  function select(step: number): void {
    const one = current();
    const at = one === null ? -1 : kept.indexOf(one);
    const next = Math.min(kept.length - 1, Math.max(0, at + step));
    selected = next === kept.length - 1 ? null : (kept[next] ?? null);
    redraw();
  }

  function press(_: string | undefined, { name, ctrl }: Key): void {
    const one = current();
    if (ctrl === true && name === 'c') keys.interrupt();
    else if (name === 'q') keys.quit();
    else if (name === 'up') select(-1);
    else if (name === 'down') select(1);
    else if (name === 'r' && one !== null) void keys.replay(one);
  }

  emitKeypressEvents(input);
  input.setRawMode(true);
  input.on('keypress', press);
  input.resume();
  redraw();

  return {
    handled(one) {
      // A replay stands for the event that it repeats.
      if (one.attempt > 1) {
        const at = kept.findIndex(({ item }) => item === one.item);
        if (at >= 0) kept[at] = one;
        if (selected?.item === one.item) selected = one;
      } else keep(one);
      return above(coloured(out.colors, one, lineOf(one)).slice(0, longest(out.columns)));
    },
    note: (text) => void above(text),
    state(state) {
      shownState = state;
      redraw();
    },
    close() {
      open = false;
      input.off('keypress', press);
      input.setRawMode(false);
      input.pause();
      redraw();
    },
  };
}

/** Longer lines are left to the terminal to wrap; this only bounds what an event type of 255 characters takes. */
const longest = (columns: number) => Math.max(columns, 400);

function coloured(colors: Cli['out']['colors'], { answer: { url, status } }: Handled, line: string): string {
  if (url === null) return line;
  return status !== null && status < 300 ? colors.green(line) : colors.red(line);
}

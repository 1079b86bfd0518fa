/** The output of the demo: lines, and at the end one status line that is overwritten. */
export interface Screen {
  line(text?: string): void;
  /** Shown on terminals only; elsewhere it would fill a file with countdowns. */
  status(text: string): void;
}

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** Writes to a terminal or a file. */
export function createScreen(output: Output): Screen {
  let shown = '';
  const erase = () => {
    if (shown !== '') output.write('\r\u001b[K');
    shown = '';
  };
  return {
    line(text = '') {
      erase();
      output.write(`${text}\n`);
    },
    status(text) {
      if (!output.isTTY || text === shown) return;
      erase();
      output.write(text);
      shown = text;
    },
  };
}

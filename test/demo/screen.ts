/** Where the demo writes to: lines, and one status line at the end that is written over. */
export interface Screen {
  line(text?: string): void;
  /** Shown on terminals only; elsewhere it would fill a file with countdowns. */
  status(text: string): void;
}

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** Writes to a terminal or a file. */
export function createScreen(output: Output): Screen {
  let hasStatus = false;
  const erase = () => {
    if (hasStatus) output.write('\r\u001b[K');
    hasStatus = false;
  };
  return {
    line(text = '') {
      erase();
      output.write(`${text}\n`);
    },
    status(text) {
      if (!output.isTTY) return;
      erase();
      output.write(text);
      hasStatus = true;
    },
  };
}

type Output = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** Writes to a terminal or a file. */
export function createScreen(output: Output) {
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
    /** Shown on terminals only; elsewhere it would fill a file with countdowns. */
    status(text: string) {
      if (!output.isTTY || text === shown) return;
      erase();
      output.write(text);
      shown = text;
    },
  };
}

/** The output of the demo: lines, and at the end one status line that is overwritten. */
export type Screen = ReturnType<typeof createScreen>;

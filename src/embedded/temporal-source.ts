/** One way to get the program: puts it into `folder` and returns its path, or says in short why not. */
export type TemporalSource = (options: {
  /** Empty, and removed afterwards. */
  folder: string;
  /** Folders to look in for programs, in the form of the variable PATH. */
  path: string;
  onProgress(line: string): void;
  signal?: AbortSignal;
}) => Promise<{ ok: true; file: string } | { ok: false; reason: string }>;

/** One way to get the program: puts it into `folder` and returns its path, or a short reason for the failure. */
export type TemporalSource = (options: {
  /** An empty folder, which the caller removes afterwards. */
  folder: string;
  /** The folders to search for programs, in the form of the variable PATH. */
  path: string;
  onProgress(line: string): void;
  signal?: AbortSignal;
}) => Promise<{ ok: true; file: string } | { ok: false; reason: string }>;

/** How long a process that stops is still given new connections, which it refuses or serves. */
const checkMs = 250;
/** A readiness check asks the database. A busy machine needs longer, and one late answer must not remove a backend. */
const checkLimitMs = 2_000;

interface Backend {
  port: number;
  isHealthy: boolean;
}

/** The apis behind a balancer, with the result of their last `/health/ready`. */
export class Backends {
  #all: Backend[];
  #next = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(ports: readonly number[]) {
    this.#all = ports.map((port) => ({ port, isHealthy: false }));
  }

  /** Checks all backends once, and then again and again until `stop()`. */
  async start(): Promise<void> {
    await this.#check();
    const again = async () => {
      await this.#check();
      if (this.#timer !== null) this.#timer = setTimeout(again, checkMs);
    };
    this.#timer = setTimeout(again, checkMs);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Replaces the backends and checks all of them. */
  async use(ports: readonly number[]): Promise<void> {
    const known = new Map(this.#all.map((backend) => [backend.port, backend]));
    this.#all = ports.map((port) => known.get(port) ?? { port, isHealthy: false });
    await this.#check();
  }

  get healthy(): number[] {
    return this.#all.filter(({ isHealthy }) => isHealthy).map(({ port }) => port);
  }

  /**
   * All ports, beginning with the next one, round-robin. Those that are not healthy come last: where no backend is
   * healthy, such as while the database is down, an api that answers 503 itself says more than the balancer can.
   */
  roundRobin(): number[] {
    const from = this.#next++ % Math.max(1, this.#all.length);
    const rotated = [...this.#all.slice(from), ...this.#all.slice(0, from)];
    return rotated.sort((a, b) => Number(b.isHealthy) - Number(a.isHealthy)).map(({ port }) => port);
  }

  /** A port that refused a connection comes last until a check succeeds. */
  refused(port: number): void {
    for (const backend of this.#all) if (backend.port === port) backend.isHealthy = false;
  }

  async #check(): Promise<void> {
    await Promise.all(
      this.#all.map(async (backend) => {
        backend.isHealthy = await isReady(backend.port);
      }),
    );
  }
}

/** A fresh connection for each check: a kept one would still answer after the process has stopped listening. */
async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(checkLimitMs),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

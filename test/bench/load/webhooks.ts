import { Agent } from 'undici';

/** Creates a signed webhook. `headers` alternates names and values. */
export type Sign = (id: string) => Promise<{ headers: string[]; query: string; body: Uint8Array }>;

/** Where webhooks of an account are sent. */
export interface Target {
  url: string;
  secret: string;
}

const kilobyte = 1000;

/** Posts webhooks over a fixed number of connections, and resolves with the status after the complete answer. */
export class Poster {
  readonly #agent: Agent;
  readonly #targets: { origin: string; path: string; headers: string[] }[];
  readonly #filler: string;
  readonly #sign: Sign | null;

  /**
   * @param options `targets` get the webhooks round-robin; `bytes` is the size of a body; `sign` signs webhooks, by default
   *   the secret itself is sent
   */
  constructor(options: { targets: Target[]; connections: number; bytes?: number; sign?: Sign }) {
    this.#targets = options.targets.map(({ url, secret }) => {
      const { origin, pathname: path } = new URL(url);
      const headers = ['content-type', 'application/json', 'x-webhook-secret', secret, 'user-agent', 'bench'];
      return { origin, path, headers };
    });
    this.#sign = options.sign ?? null;
    this.#filler = 'x'.repeat(Math.max(0, (options.bytes ?? kilobyte) - payload('', '').length));
    this.#agent = new Agent({ connections: options.connections, pipelining: 1 });
  }

  /** Posts the event `<run>-<number>`. The number decides which target gets it. */
  async post(run: string, number: number): Promise<number> {
    const target = this.#targets[number % this.#targets.length];
    if (!target) throw new Error('there is no target');
    const id = `${run}-${number}`;
    if (!this.#sign) return this.#dispatch(target, payload(id, this.#filler));
    const { headers, query, body } = await this.#sign(id);
    return this.#dispatch({ ...target, path: target.path + query, headers }, body);
  }

  #dispatch(target: { origin: string; path: string; headers: string[] }, body: string | Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      let status = 0;
      this.#agent.dispatch(
        { ...target, method: 'POST', body },
        {
          onRequestStart() {},
          onResponseStart(_, code) {
            status = code;
          },
          onResponseData() {},
          onResponseEnd() {
            resolve(status);
          },
          onResponseError(_, error) {
            reject(error);
          },
        },
      );
    });
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

/** An order of a shop. */
const payload = (id: string, filler: string) =>
  `{"id":"${id}","type":"order.created","amount":4200,"currency":"EUR","customer":{"name":"Ada","email":"ada@example.com"},"note":"${filler}"}`;

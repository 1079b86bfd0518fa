import { Agent } from 'undici';

const filler = 'x'.repeat(860);

/** A body of about 1 KB, an order of a shop. */
function payload(id: string): string {
  return `{"id":"${id}","type":"order.created","amount":4200,"currency":"EUR","customer":{"name":"Ada","email":"ada@example.com"},"note":"${filler}"}`;
}

/** Creates a signed webhook. `headers` alternates names and values. */
export type Sign = (id: string) => Promise<{ headers: string[]; query: string; body: Uint8Array }>;

/** Posts webhooks over a fixed number of connections, and resolves with the status after the complete answer. */
export class Poster {
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #path: string;
  readonly #headers: string[];
  readonly #sign: Sign | null;

  /** @param options.sign signs webhooks; by default the secret itself is sent */
  constructor(options: { url: string; secret: string; connections: number; sign?: Sign }) {
    const url = new URL(options.url);
    this.#origin = url.origin;
    this.#path = url.pathname;
    this.#sign = options.sign ?? null;
    this.#headers = ['content-type', 'application/json', 'x-webhook-secret', options.secret, 'user-agent', 'bench'];
    this.#agent = new Agent({ connections: options.connections, pipelining: 1 });
  }

  /** @param id the id of the event, in which payloads differ */
  async post(id: string): Promise<number> {
    if (!this.#sign) return this.#dispatch(this.#path, this.#headers, payload(id));
    const { headers, query, body } = await this.#sign(id);
    return this.#dispatch(this.#path + query, headers, body);
  }

  #dispatch(path: string, headers: string[], body: string | Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      let status = 0;
      this.#agent.dispatch(
        { origin: this.#origin, path, method: 'POST', headers, body },
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

/** Milliseconds since 1970 with the resolution of the monotonic clock. */
export const nowMs = () => performance.timeOrigin + performance.now();

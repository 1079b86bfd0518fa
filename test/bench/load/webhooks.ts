import { Agent } from 'undici';

const filler = 'x'.repeat(860);

/** About 1 KB, as an order of a shop. */
export function payload(id: string): string {
  return `{"id":"${id}","type":"order.created","amount":4200,"currency":"EUR","customer":{"name":"Ada","email":"ada@example.com"},"note":"${filler}"}`;
}

/** Posts webhooks over a fixed number of connections; resolves with the status when the whole answer is there. */
export class Poster {
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #path: string;
  readonly #headers: string[];

  constructor(options: { url: string; secret: string; connections: number }) {
    const url = new URL(options.url);
    this.#origin = url.origin;
    this.#path = url.pathname;
    this.#headers = ['content-type', 'application/json', 'x-webhook-secret', options.secret, 'user-agent', 'bench'];
    this.#agent = new Agent({ connections: options.connections, pipelining: 1 });
  }

  post(body: string): Promise<number> {
    return new Promise((resolve, reject) => {
      let status = 0;
      this.#agent.dispatch(
        { origin: this.#origin, path: this.#path, method: 'POST', headers: this.#headers, body },
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

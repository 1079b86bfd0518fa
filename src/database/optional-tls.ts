import { isIP, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/**
 * SSLRequest (https://www.postgresql.org/docs/current/protocol-message-formats.html): a length of 8, and the code
 * 80877103.
 */
const sslRequest = Buffer.from('0000000804d2162f', 'hex');

/**
 * A connection to PostgreSQL that uses TLS if the server supports it, and otherwise continues in clear text. This
 * implements `sslmode=prefer`, which the driver lacks, as a `stream` of the driver. A failed handshake is an error; the
 * connection does not fall back to clear text.
 */
export class OptionalTls extends Duplex {
  readonly #socket = new Socket();
  readonly #tls: ConnectionOptions;
  /** The TLS or plain socket that carries the messages; null until the server has answered. */
  #way: Duplex | null = null;

  /** @param tls the options of a TLS connection; `socket` and `servername` are set here. */
  constructor(tls: ConnectionOptions) {
    super({ allowHalfOpen: false });
    this.#tls = tls;
  }

  /** Like `Socket.connect`. Emits `connect` when the driver may send its first message. */
  connect(port: number, host: string): this {
    const socket = this.#socket;
    socket.on('error', (error) => this.destroy(error));
    socket.once('connect', () => socket.write(sslRequest));
    const onEnd = () => this.destroy();
    socket.once('end', onEnd);
    socket.once('data', (answer) => {
      socket.off('end', onEnd);
      this.#settle(answer.toString('latin1'), host);
    });
    socket.connect(port, host);
    return this;
  }

  setNoDelay(on: boolean): this {
    this.#socket.setNoDelay(on);
    return this;
  }

  setKeepAlive(on: boolean, initialDelayMs?: number): this {
    this.#socket.setKeepAlive(on, initialDelayMs);
    return this;
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }

  /** The answer must be exactly one byte: further clear text could be injected by an attacker (CVE-2021-23222). */
  #settle(answer: string, host: string): void {
    if (answer === 'N') {
      this.#use(this.#socket);
      return;
    }
    if (answer !== 'S') {
      this.destroy(new Error('There was an error establishing an SSL connection'));
      return;
    }
    const secure = connectTls({
      ...this.#tls,
      socket: this.#socket,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    secure.on('error', (error) => this.destroy(error));
    secure.once('secureConnect', () => this.#use(secure));
  }

  #use(way: Duplex): void {
    this.#way = way;
    way.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) way.pause();
    });
    way.once('end', () => this.push(null));
    this.emit('connect');
  }

  override _read(): void {
    this.#way?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#way) this.#way.write(chunk, done);
    else done(new Error('The connection is not open yet'));
  }

  /** Writes messages that the driver sends together as one chunk, to save packets. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#way) {
      this.#way.end(() => done());
      return;
    }
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#way?.destroy();
    this.#socket.destroy();
    done(error);
  }
}

import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { openDataDir } from '../../../src/embedded/data-dir.ts';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { createLog } from '../../../src/shared/log.ts';
import { freshDatabase } from '../database.ts';
import { temporaryFolder } from '../gateway-process.ts';
import { queryOnce } from '../one-connection.ts';
import { copyPrepared } from '../prepared.ts';
import { until } from '../until.ts';
import type { Certificate } from './certificates.ts';
import { sslRequest } from './recorded-way.ts';

const log = createLog('fatal');
const started = (dataDir: ReturnType<typeof openDataDir>) =>
  startPostgres({ dataDir, log, onProgress: () => undefined });

/**
 * Starts the server.
 *
 * @param authority the authority of client certificates. The role `with_certificate` (password `own`) must present one.
 */
export async function tlsPostgres(certificate: Certificate, authority: string) {
  const folder = temporaryFolder('test');
  await copyPrepared('migrated', folder);
  const dataDir = openDataDir(folder);
  const cluster = join(dataDir.path, 'postgres', 'data');
  const { uid, gid } = statSync(cluster);
  const write = (name: string, text: string) => {
    writeFileSync(join(cluster, name), text);
    chownSync(join(cluster, name), uid, gid);
    chmodSync(join(cluster, name), 0o600);
  };
  const writeCertificate = ({ cert, key }: Certificate) => {
    write('server.crt', cert);
    write('server.key', key);
  };
  writeCertificate(certificate);
  write('root.crt', authority);
  appendFileSync(join(cluster, 'postgresql.conf'), "\nssl = on\nssl_ca_file = 'root.crt'\n");
  write(
    'pg_hba.conf',
    [
      // The administrator, who starts the server.
      'hostnossl postgres,gateway gateway samehost scram-sha-256',
      'hostssl all with_certificate all scram-sha-256 clientcert=verify-ca',
      'hostssl all all all scram-sha-256',
    ].join('\n'),
  );
  const server = await started(dataDir);
  await queryOnce(server.url, "create role with_certificate superuser login password 'own'");
  return {
    /** Creates an empty database that requires TLS. Its URL has `sslmode=disable`, as for the administrator. */
    database: () => freshDatabase(server.url),
    /** Makes the server present this certificate on later connections. */
    async show(next: Certificate) {
      writeCertificate(next);
      await queryOnce(server.url, 'select pg_reload_conf()');
      const wanted = pemBytes(next.cert);
      await until('the server presents the certificate', async () => (await shownBy(server.url)).equals(wanted));
    },
    async stop() {
      await server.stop();
      dataDir.release();
    },
  };
}

/** A real PostgreSQL whose databases accept only connections with TLS. */
export type TlsPostgres = Awaited<ReturnType<typeof tlsPostgres>>;

const pemBytes = (pem: string) => Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');

async function shownBy(url: string): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(sslRequest);
  await once(socket, 'data');
  const secure = connectTls({ socket, rejectUnauthorized: false });
  await once(secure, 'secureConnect');
  const { raw } = secure.getPeerCertificate();
  secure.destroy();
  return raw;
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

/** A certificate and its key, both in PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate authority for one test. */
export interface Authority {
  /** Its certificate, in PEM. */
  cert: string;
  /** Signs a certificate. By default it is valid today. */
  issue(names: Names, validity?: { from: Date; to: Date }): Promise<Certificate>;
}

/** The subject of a certificate: host names and addresses of a server, or the name of a client. */
interface Names {
  hosts?: string[];
  addresses?: string[];
  commonName?: string;
}

const dayMs = 86_400_000;
const yesterday = () => new Date(Date.now() - dayMs);
const tomorrow = () => new Date(Date.now() + dayMs);
/** The validity of expired certificates. */
export const lastYear = { from: new Date(Date.now() - 400 * dayMs), to: new Date(Date.now() - 35 * dayMs) };

const common = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** Creates a certificate authority with a new key. */
export async function newAuthority(name = 'Authority of a test'): Promise<Authority> {
  const ca = await generate([{ name: 'commonName', value: name }], {
    ...common,
    notBeforeDate: lastYear.from,
    notAfterDate: tomorrow(),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    cert: ca.cert,
    async issue({ hosts = [], addresses = [], commonName = hosts[0] ?? addresses[0] ?? 'nobody' }, validity) {
      const altNames = [
        ...hosts.map((value) => ({ type: 2 as const, value })),
        ...addresses.map((ip) => ({ type: 7 as const, ip })),
      ];
      const made = await generate([{ name: 'commonName', value: commonName }], {
        ...common,
        ca: { key: ca.private, cert: ca.cert },
        notBeforeDate: validity?.from ?? yesterday(),
        notAfterDate: validity?.to ?? tomorrow(),
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          ...(altNames.length === 0 ? [] : [{ name: 'subjectAltName' as const, altNames }]),
        ],
      });
      return { cert: made.cert, key: made.private };
    },
  };
}

/** Writes texts into a folder and returns their paths. The folder is removed after the test, or by `cleanUp`. */
export function filesOf<Name extends string>(
  contents: Record<Name, string>,
  cleanUp: (work: () => void) => void = onTestFinished,
): Record<Name, string> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-certificates-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  const paths: Partial<Record<Name, string>> = {};
  for (const name of Object.keys(contents) as Name[]) {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, contents[name], { mode: 0o600 });
    paths[name] = path;
  }
  return paths as Record<Name, string>;
}

import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Log } from '../shared/log.ts';
import { isArchiveName, namesBegin } from './archive-name.ts';
import { BackupError, said } from './backup-error.ts';
import { type BackupStore, maxFiles, type StoredFile, skippedAt, tooManyFiles } from './backup-store.ts';
import { parseS3Address, type S3Address } from './s3-address.ts';

/**
 * S3 allows 10,000 parts, so an archive may have 160 GB. `partsInFlight` parts and one more are in memory at a time.
 */
const partBytes = 16 * 1024 * 1024;
const partsInFlight = 2;
/** A connection without any traffic for this long is closed, and the request is retried. */
const silenceLimitMs = 60_000;
const connectionTimeoutMs = 5_000;

/**
 * Opens a store in a bucket of S3 or a compatible server. Credentials are found in the same way as by AWS's own tools.
 *
 * @param log for unreadable objects with the name of a backup, which are skipped.
 * @param silenceMs the longest time without traffic; tests shorten it.
 */
export function openS3Store(
  url: string,
  log: Pick<Log, 'warn'> | null = null,
  silenceMs = silenceLimitMs,
): BackupStore {
  const { bucket, prefix, region, endpoint } = parseS3Address(url);
  const place = `s3://${bucket}/${prefix}`;
  const skipped = skippedAt(place, log);
  const client = openClient({ region, endpoint }, { socketTimeout: silenceMs });
  // A restore may pause reading a download, so the socket timeout does not fit. Alone, `requestTimeout` only warns.
  const downloads = openClient({ region, endpoint }, { requestTimeout: silenceMs, throwOnRequestTimeout: true });
  const inBucket = { Bucket: bucket };
  const keyOf = (name: string) => {
    if (isArchiveName(name)) return `${prefix}${name}`;
    throw new BackupError(`There is no backup '${name}' in ${place}.`);
  };
  const nameOf = (key: string | undefined) => {
    const name = key?.startsWith(prefix) ? key.slice(prefix.length) : '';
    return isArchiveName(name) ? name : null;
  };

  /** Aborts unfinished uploads of a killed process, because their parts cost money until then. */
  async function removeUnfinished(): Promise<void> {
    // Only one backup runs at a time, so the first page contains all unfinished uploads.
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ ...inBucket, Prefix: prefix }));
    for (const { Key, UploadId } of Uploads)
      if (nameOf(Key) !== null) await client.send(new AbortMultipartUploadCommand({ ...inBucket, Key, UploadId }));
  }

  /** Reads the end of an object. Fails if the server ignores the range and sends more. */
  async function rangeOf(name: string, start: number, sizeBytes: number): Promise<Buffer> {
    if (start >= sizeBytes) return Buffer.alloc(0);
    const Range = `bytes=${start}-${sizeBytes - 1}`;
    const { Body } = await client.send(new GetObjectCommand({ ...inBucket, Key: keyOf(name), Range }));
    if (!(Body instanceof Readable)) throw new Error('the answer has no body');
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of Body) {
      bytes += chunk.length;
      if (bytes > sizeBytes - start) throw new BackupError(`${place} sends more of an object than was asked for.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Skips an object that the server refuses, such as an archived one, because the other objects may be readable. */
  function unreadable(name: string, error: unknown): null {
    if (!(error instanceof S3ServiceException) || !isRefusal(error)) throw explained(place, error);
    // Deleted after the bucket was listed.
    return error.name === 'NoSuchKey' ? null : skipped(name, error);
  }

  return {
    place,
    async write(name, content, signal) {
      const Key = keyOf(name);
      let sizeBytes = 0;
      const counted = async function* () {
        for await (const chunk of content) {
          sizeBytes += chunk.length;
          yield chunk;
        }
      };
      const aborting = new AbortController();
      const abort = () => aborting.abort();
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        await removeUnfinished();
        const upload = new Upload({
          ...{ client, partSize: partBytes, queueSize: partsInFlight, leavePartsOnError: false },
          params: { ...inBucket, Key, Body: Readable.from(counted()), ContentType: 'application/octet-stream' },
          abortController: aborting,
        });
        await upload.done();
        return { sizeBytes };
      } catch (error) {
        content.destroy();
        throw explained(place, error, signal);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async files() {
      const found: StoredFile[] = [];
      let objects = 0;
      try {
        const named = { ...inBucket, Prefix: `${prefix}${namesBegin}` };
        for await (const { Contents = [] } of paginateListObjectsV2({ client }, named)) {
          objects += Contents.length;
          if (objects > maxFiles) throw tooManyFiles(place);
          for (const { Key, Size: sizeBytes = 0 } of Contents) {
            const name = nameOf(Key);
            if (name !== null) found.push({ name, sizeBytes });
          }
        }
      } catch (error) {
        throw explained(place, error);
      }
      return found;
    },
    readEnd({ name, sizeBytes }, start) {
      return rangeOf(name, start, sizeBytes).catch((error: unknown) => unreadable(name, error));
    },
    async read(name) {
      const Key = keyOf(name);
      try {
        const { Body } = await downloads.send(new GetObjectCommand({ ...inBucket, Key }));
        if (Body instanceof Readable) return Body;
        throw new Error('the answer has no body');
      } catch (error) {
        if (error instanceof Error && error.name === 'NoSuchKey')
          throw new BackupError(`There is no backup '${name}' in ${place}.`);
        throw explained(place, error);
      }
    },
    async delete(name) {
      try {
        await client.send(new DeleteObjectCommand({ ...inBucket, Key: keyOf(name) }));
      } catch (error) {
        throw explained(place, error);
      }
    },
    close() {
      client.destroy();
      downloads.destroy();
    },
  };
}

/** Whether the server refuses the request permanently, so that a retry does not help. */
function isRefusal({ $metadata: { httpStatusCode: status = 0 } }: S3ServiceException): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function openClient(
  { region, endpoint }: Pick<S3Address, 'region' | 'endpoint'>,
  limits: { socketTimeout: number } | { requestTimeout: number; throwOnRequestTimeout: true },
): S3Client {
  return new S3Client({
    region,
    requestHandler: { ...limits, connectionTimeout: connectionTimeoutMs },
    ...(endpoint === null
      ? {}
      : {
          endpoint,
          // Other servers rarely have a host name for each bucket, and not all support the newer checksums.
          forcePathStyle: true,
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
  });
}

function explained(place: string, error: unknown, signal?: AbortSignal): unknown {
  if (error instanceof BackupError) return error;
  if (signal?.aborted) return new BackupError('The backup was interrupted.', { cause: error });
  const words = (text: string) => new BackupError(text, { cause: error });
  switch (error instanceof Error ? error.name : '') {
    case 'CredentialsProviderError':
      return words(
        `There are no credentials for ${place}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role.`,
      );
    case 'NoSuchBucket':
      return words(`There is no bucket for ${place}. Make it, or correct BACKUP_URL.`);
    case 'AccessDenied':
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
      return words(`${place} does not let this user in (${said(error)}). Correct the AWS credentials or their rights.`);
    default:
      return words(`The backup bucket ${place} cannot be used (${said(error)}).`);
  }
}

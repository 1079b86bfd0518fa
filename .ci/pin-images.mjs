// Pins the images of Dockerfile and docker-compose.yml by digest: npm run pin-images [-- --mirror https://mirror.example.com]
// Asks the registry of each image for the digest of its tag, and writes `name:tag@sha256:…`. Then a tag that is pushed
// again cannot change what is built or run. Writes nothing unless every image was resolved.
// With images as arguments, it prints them with their digests instead: for `image.digest` of the Helm chart.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Where images are named, as `name:tag`, with or without a digest. */
const places = [
  { file: 'Dockerfile', pattern: /^(FROM )(\S+)/gm },
  { file: 'docker-compose.yml', pattern: /^( +image: )(\S+)/gm },
];
/** Built from this checkout, so no registry has it. */
const own = /^webhook-gateway:/;
/** A registry answers within a second. */
const timeLimitMs = 30_000;
/** Indexes first: their digest is the same on every platform. */
const mediaTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/**
 * The parts of an image's name (https://distribution.github.io/distribution/spec/api/). Without a host it is at Docker Hub.
 *
 * @param {string} image @param {string | undefined} mirror of Docker Hub
 */
function parsed(image, mirror) {
  const [tagged = ''] = image.split('@');
  const found = /^(?:(?<host>[^/]*[.:][^/]*|localhost)\/)?(?<path>[^:]+):(?<tag>[\w][\w.-]*)$/.exec(tagged)?.groups;
  if (!found) throw new Error(`${image}: name an image with a tag, as in nginx:1.28.0-alpine.`);
  const { host, path = '', tag } = found;
  if (host && host !== 'docker.io') return { tagged, base: `https://${host}`, path, tag };
  return {
    ...{ tagged, tag, base: mirror ?? 'https://registry-1.docker.io' },
    path: path.includes('/') ? path : `library/${path}`,
  };
}

/**
 * The digest of an image's tag. Answers a challenge with an anonymous token, as public images need it.
 *
 * @param {string} image @param {string | undefined} mirror
 */
async function digestOf(image, mirror) {
  const { tagged, base, path, tag } = parsed(image, mirror);
  const url = `${base}/v2/${path}/manifests/${tag}`;
  /** @param {string} [token] */
  const ask = (token) =>
    fetch(url, {
      method: 'HEAD',
      headers: { accept: mediaTypes, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      signal: AbortSignal.timeout(timeLimitMs),
    });
  let answer = await ask();
  if (answer.status === 401) answer = await ask(await tokenFor(answer.headers.get('www-authenticate') ?? '', url));
  if (!answer.ok) throw new Error(`${tagged}: ${url} was answered ${answer.status}.`);
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${tagged}: ${url} was answered without a digest.`);
  return `${tagged}@${digest}`;
}

/** @param {string} challenge the header WWW-Authenticate @param {string} url that was refused */
async function tokenFor(challenge, url) {
  const given = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  const realm = given.get('realm');
  if (!/^Bearer /i.test(challenge) || !realm)
    throw new Error(`${url} asks for credentials; only public images are pinned.`);
  const at = new URL(realm);
  for (const name of ['service', 'scope']) if (given.get(name)) at.searchParams.set(name, given.get(name) ?? '');
  const answer = await fetch(at, { signal: AbortSignal.timeout(timeLimitMs) });
  if (!answer.ok) throw new Error(`${url}: no token, ${at.origin} answered ${answer.status}.`);
  const { token, access_token: accessToken } = await answer.json();
  return token ?? accessToken;
}

/** The reason of an error; that of `fetch` is in its cause. @param {unknown} error */
const reasonOf = (error) => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
};

const { values, positionals } = parseArgs({ options: { mirror: { type: 'string' } }, allowPositionals: true });
const texts = places.map(({ file, pattern }) => ({ file, pattern, text: readFileSync(file, 'utf8') }));
const named = texts.flatMap(({ text, pattern }) => [...text.matchAll(pattern)].map(([, , image = '']) => image));
const images = positionals.length > 0 ? positionals : [...new Set(named)].filter((image) => !own.test(image));
/** @type {Map<string, string>} */
const pinned = new Map();
try {
  for (const image of images) pinned.set(image, await digestOf(image, values.mirror));
} catch (error) {
  console.error(`No image was pinned, nothing was written. ${reasonOf(error)}`);
  console.error(
    'This needs a registry: Docker Hub, or a mirror of it: npm run pin-images -- --mirror https://mirror.example.com',
  );
  process.exit(1);
}
for (const image of pinned.values()) console.log(image);
if (positionals.length === 0)
  for (const { file, pattern, text } of texts)
    writeFileSync(
      file,
      text.replace(pattern, (_, before, image) => `${before}${pinned.get(image) ?? image}`),
    );

import type { Random } from '../faults/random.ts';

/**
 * Random webhooks and conditions, and what the page says of them (docs/several-consumers.md, docs/notifications.md,
 * "Conditions"). It shares no code with the gateway, so that both can be compared.
 */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface RandomWebhook {
  body: string;
  headers: Record<string, string>;
  /** The parsed body; undefined when it is not JSON. */
  payload: Json | undefined;
  /** Whether the provider's id is in it, so that it can be resent. */
  hasId: boolean;
}

type Path = (string | number)[];

type Question =
  | { is: 'compare'; path: Path; operator: string; literal: Json }
  | { is: 'exists'; path: Path }
  | { is: 'in'; path: Path; literals: Json[] }
  | { is: 'method'; path: Path; method: 'startswith' | 'endswith' | 'contains'; text: string }
  | { is: 'matches'; path: Path; text: string }
  | { is: 'alone'; path: Path }
  | { is: 'header'; name: string; operator: '==' | '!='; text: string }
  | { is: 'header-exists'; name: string }
  | { is: 'type'; operator: '==' | '!='; text: string };

type Model = Question | { is: 'and' | 'or'; left: Model; right: Model } | { is: 'not'; inner: Model };

export interface RandomCondition {
  text: string;
  model: Model;
}

const paths: Path[] = [
  ...[['kind'], ['n'], ['flag'], ['none'], ['nested', 'x'], ['nested', 'list', 0], ['list', 1, 'a'], ['odd-key']],
  ...[['__proto__', 'x'], ['list', 'length'], ['type'], ['nested']],
];
const texts = ['', 'red', 'reddish', 'blue', '7', 'Red', 'grün', '😀 red'];
/** Two whole numbers that are equal as doubles. */
const exactDigits = ['9007199254740993', '9007199254740992'] as const;
const numbers = [0, 1, 2.5, 7, -1];
const literals: Json[] = [...texts, ...numbers, true, false];
const types = ['order', 'ping'];

/** A value of the payload, or a literal of its alphabet: as JSON, so that large numbers keep their digits. */
const valueJson = (random: Random): string =>
  random.chance(0.08)
    ? random.pick(exactDigits)
    : JSON.stringify(random.pick<Json>([...literals, null, [], {}, ['red'], { x: 'red' }]));

/** A webhook of random content: most are JSON objects, some other JSON, and some no JSON. */
export function randomWebhook(random: Random, id: string): RandomWebhook {
  const headers: Record<string, string> = {
    'content-type': random.pick([
      'application/json',
      'text/plain',
      'application/octet-stream',
      'application/json; charset=x',
    ]),
  };
  if (random.chance(0.6))
    headers[random.pick(['x-kind', 'X-Kind', 'X-KIND'])] = random.pick(['red', 'blue', 'red, blue', '']);
  if (random.chance(0.2)) headers['x-api-key'] = 'a secret of nobody';
  if (random.chance(0.15)) {
    const body = random.pick(['', '{"id":"cut', 'kind=red&n=1', '<xml/>', `{"kind":"red"} x`, '\u0000']);
    return { body, headers, payload: undefined, hasId: false };
  }
  if (random.chance(0.1)) {
    const body = random.pick(['[]', '"red"', '7', 'null', '[{"kind":"red"}]']);
    return { body, headers, payload: JSON.parse(body), hasId: false };
  }
  const fields = [`"id":${JSON.stringify(id)}`];
  const field = (name: string, json: string) => fields.push(`${JSON.stringify(name)}:${json}`);
  if (random.chance(0.8)) field('type', JSON.stringify(random.pick(types)));
  for (const name of ['kind', 'n', 'flag', 'odd-key']) if (random.chance(0.75)) field(name, valueJson(random));
  // The last of repeated keys counts.
  if (random.chance(0.1)) field('kind', valueJson(random));
  if (random.chance(0.6)) field('nested', `{"x":${valueJson(random)},"list":[${valueJson(random)}]}`);
  if (random.chance(0.5)) field('list', `[1,{"a":${valueJson(random)}}]`);
  const body = `${random.chance(0.05) ? '\uFEFF' : ''}{${fields.join(random.pick([',', ' ,\n']))}}`;
  return { body, headers, payload: withExactNumbers(body.replace('\uFEFF', '')), hasId: true };
}

/** A whole number beyond the safe integers, with its digits. */
const exact = (digits: string) => ({ digits });

function withExactNumbers(text: string): Json {
  const marked = text.replaceAll(/(?<=[[:,])(9007199254740993|9007199254740992)(?=[\],}\s])/g, (digits) =>
    JSON.stringify(exact(digits)),
  );
  return JSON.parse(marked);
}

/** A condition of random questions, combined at random. */
export function randomCondition(random: Random, depth = 0): RandomCondition {
  if (depth < 3 && random.chance(0.45)) {
    if (random.chance(0.3)) {
      const inner = randomCondition(random, depth + 1);
      return { text: `not (${inner.text})`, model: { is: 'not', inner: inner.model } };
    }
    const is = random.pick(['and', 'or'] as const);
    const [left, right] = [randomCondition(random, depth + 1), randomCondition(random, depth + 1)];
    return { text: `(${left.text}) ${is} (${right.text})`, model: { is, left: left.model, right: right.model } };
  }
  const model = randomQuestion(random);
  return { text: textOf(model), model };
}

function randomQuestion(random: Random): Question {
  const path = random.pick(paths);
  const kinds = [
    'compare',
    'compare',
    'compare',
    'exists',
    'in',
    'method',
    'matches',
    'alone',
    'header',
    'header-exists',
    'type',
  ] as const;
  const is = random.pick(kinds);
  switch (is) {
    case 'compare': {
      const operator = random.pick(['==', '!=', '<', '<=', '>', '>=']);
      const ordered = operator.startsWith('<') || operator.startsWith('>');
      if (random.chance(0.15)) return { is, path, operator, literal: exact(random.pick(exactDigits)) };
      return { is, path, operator, literal: random.pick<Json>(ordered ? numbers : literals) };
    }
    case 'in': {
      const some = random.pick<Json[]>([texts, numbers]);
      return { is, path, literals: random.shuffled(some).slice(0, 2) };
    }
    case 'method':
      return {
        is,
        path,
        method: random.pick(['startswith', 'endswith', 'contains'] as const),
        text: random.pick(texts),
      };
    case 'matches':
      return { is, path, text: random.pick(['red', 'blue', 'ish']) };
    case 'header':
      return {
        ...{ is, name: random.pick(['x-kind', 'X-KIND', 'x-api-key', 'x-none']) },
        ...{
          operator: random.pick(['==', '!='] as const),
          text: random.pick(['red', 'blue', '[masked]', 'a secret of nobody', '']),
        },
      };
    case 'header-exists':
      return { is, name: random.pick(['x-kind', 'X-Kind', 'x-none']) };
    case 'type':
      return { is, operator: random.pick(['==', '!='] as const), text: random.pick(types) };
    case 'exists':
    case 'alone':
      return { is, path };
    default:
      return is satisfies never;
  }
}

const pathText = (path: Path) =>
  `payload${path.map((part) => (typeof part === 'number' ? `[${part}]` : /^[a-z]+$/.test(part) ? `.${part}` : `["${part}"]`)).join('')}`;

const isExact = (value: unknown): value is { digits: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'digits' in value;
const literalText = (literal: Json) => (isExact(literal) ? literal.digits : JSON.stringify(literal));

function textOf(question: Question): string {
  switch (question.is) {
    case 'compare':
      return `${pathText(question.path)} ${question.operator} ${literalText(question.literal)}`;
    case 'exists':
      return `exists(${pathText(question.path)})`;
    case 'in':
      return `${pathText(question.path)} in [${question.literals.map(literalText).join(', ')}]`;
    case 'method':
      return `${pathText(question.path)}.${question.method}(${JSON.stringify(question.text)})`;
    case 'matches':
      return `matches(${pathText(question.path)}, "${question.text}$")`;
    case 'alone':
      return pathText(question.path);
    case 'header':
      return `header["${question.name}"] ${question.operator} ${JSON.stringify(question.text)}`;
    case 'header-exists':
      return `exists(header["${question.name}"])`;
    case 'type':
      return `event_type ${question.operator} "${question.text}"`;
    default:
      return question satisfies never;
  }
}

/** Whether the condition holds for the webhook, by the page. */
export function holds(condition: RandomCondition | null, webhook: RandomWebhook): boolean {
  return condition === null || modelHolds(condition.model, webhook);
}

function modelHolds(model: Model, webhook: RandomWebhook): boolean {
  switch (model.is) {
    case 'and':
      return modelHolds(model.left, webhook) && modelHolds(model.right, webhook);
    case 'or':
      return modelHolds(model.left, webhook) || modelHolds(model.right, webhook);
    case 'not':
      return !modelHolds(model.inner, webhook);
    case 'header': {
      const value = headerOf(webhook, model.name);
      return (value === model.text) === (model.operator === '==');
    }
    case 'header-exists':
      return headerOf(webhook, model.name) !== undefined;
    case 'type':
      return (typeOf(webhook) === model.text) === (model.operator === '==');
    case 'exists':
      return at(webhook.payload, model.path) !== undefined;
    case 'alone':
      return at(webhook.payload, model.path) === true;
    case 'in': {
      const value = at(webhook.payload, model.path);
      return model.literals.some((literal) => equal(value, literal));
    }
    case 'method': {
      const value = at(webhook.payload, model.path);
      if (typeof value !== 'string') return false;
      const { text } = model;
      const found = value.indexOf(text);
      if (model.method === 'contains') return found >= 0;
      return model.method === 'startswith' ? found === 0 : value.slice(value.length - text.length) === text;
    }
    case 'matches': {
      const value = at(webhook.payload, model.path);
      return typeof value === 'string' && value.endsWith(model.text);
    }
    case 'compare': {
      const value = at(webhook.payload, model.path);
      if (model.operator === '==' || model.operator === '!=')
        return equal(value, model.literal) === (model.operator === '==');
      const [left, right] = [scaled(value), scaled(model.literal)];
      if (left === null || right === null) return false;
      if (model.operator === '<') return left < right;
      if (model.operator === '<=') return left <= right;
      return model.operator === '>' ? left > right : left >= right;
    }
    default:
      return model satisfies never;
  }
}

/** A number of the alphabet as a whole number of halves, so that all of them compare exactly. */
function scaled(value: unknown): bigint | null {
  if (isExact(value)) return BigInt(value.digits) * 2n;
  return typeof value === 'number' ? BigInt(value * 2) : null;
}

function equal(value: Json | undefined, literal: Json): boolean {
  const [left, right] = [scaled(value), scaled(literal)];
  if (left !== null || right !== null) return left === right;
  return (typeof value === 'string' || typeof value === 'boolean') && value === literal;
}

function at(payload: Json | undefined, path: Path): Json | undefined {
  let value: unknown = payload;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || isExact(value)) return undefined;
    if (Array.isArray(value) !== (typeof part === 'number')) return undefined;
    value = Object.entries(value).find(([key]) => key === String(part))?.[1];
  }
  return value as Json | undefined;
}

/** Headers that the provider compares with the secret are stored as `[masked]`. */
function headerOf({ headers }: RandomWebhook, name: string): string | undefined {
  const found = Object.entries(headers).find(([written]) => written.toLowerCase() === name.toLowerCase());
  return found?.[0] === 'x-api-key' ? '[masked]' : found?.[1];
}

function typeOf({ payload }: RandomWebhook): string | null {
  const type = at(payload, ['type']);
  return typeof type === 'string' ? type : null;
}

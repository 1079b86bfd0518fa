import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const folder = new URL('../../src/dashboard/browser/', import.meta.url);
const names = readdirSync(folder);
const assets = names.filter((name) => /\.(js|css|svg)$/.test(name));
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');

describe('the files in the browser', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ worker: false });
  });
  afterAll(() => gateway.stop());

  test.each(assets)('include %s unchanged', async (name) => {
    const answer = await fetch(`${gateway.baseUrl}/dashboard/assets/${name}`);
    expect(answer.status).toBe(200);
    const types: Record<string, string> = {
      js: 'text/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      svg: 'image/svg+xml',
    };
    expect(answer.headers.get('content-type')).toBe(types[name.split('.').at(-1) ?? '']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(await answer.text()).toBe(textOf(name));
  });

  test('refer to the gateway only', async () => {
    const shell = await (await fetch(`${gateway.baseUrl}/dashboard/events`)).text();
    const links = [...shell.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThanOrEqual(5);
    for (const link of links) expect([link, (await fetch(gateway.baseUrl + link)).status]).toEqual([link, 200]);
    for (const name of assets) {
      const imports = [...textOf(name).matchAll(/^(?:import|\} from|export .* from) .*?'([^']+)';$/gm)].map(
        ([, from = '']) => from,
      );
      for (const from of imports)
        expect([name, from, assets.includes(from.replace('./', ''))]).toEqual([name, from, true]);
      expect([name, /https?:\/\/(?!www\.w3\.org\/2000\/svg)/.test(textOf(name))]).toEqual([name, false]);
    }
  });
});

describe('the files', () => {
  test('insert texts only as text, and store the token in one place only', () => {
    const forbidden =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|localStorage|document\.cookie|indexedDB/;
    expect(assets.length).toBeGreaterThan(8);
    for (const name of [...assets, 'shell.html']) expect([name, forbidden.exec(textOf(name))]).toEqual([name, null]);
    expect(textOf('shell.html')).not.toMatch(/\son\w+=|\sstyle=|<style|<script(?! type="module" src=)|javascript:/);
    expect(assets.filter((name) => textOf(name).includes('sessionStorage'))).toEqual(['api.js']);
  });

  test('match the types of the API', async () => {
    const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    const args = [tsc, '--noEmit', '-p', fileURLToPath(folder)];
    // The error contains the output of the compiler.
    await expect(promisify(execFile)(process.execPath, args)).resolves.toEqual({ stdout: '', stderr: '' });
  }, 30_000);
});

describe('texts', () => {
  const load = (name: string) => import(new URL(name, folder).href);

  test('the next page comes from the Link header', async () => {
    const { nextQuery } = await load('format.js');
    expect(nextQuery('</admin/events?provider=generic&before=1>; rel="next"')).toBe('provider=generic&before=1');
    expect(nextQuery('</admin/events?before=1>; rel="prev"')).toBeNull();
    expect(nextQuery(null)).toBeNull();
  });

  test('a payload is shown as JSON, as text, or as bytes', async () => {
    const { payloadText } = await load('format.js');
    expect(payloadText({ a: [1] })).toEqual({ kind: 'JSON', text: '{\n  "a": [\n    1\n  ]\n}' });
    expect(payloadText(null)).toEqual({ kind: 'JSON', text: 'null' });
    expect(payloadText('<b>')).toEqual({ kind: 'text', text: '<b>' });
    expect(payloadText({ base64: '//4=' })).toEqual({ kind: 'binary, shown in base64', text: '//4=' });
    expect(payloadText({ base64: 1 }).kind).toBe('JSON');
    expect(payloadText({ base64: '//4=', id: 1 }).kind).toBe('JSON');
  });

  test('a payload cannot change the direction of the text around it', async () => {
    const { payloadText } = await load('format.js');
    const payload = { amount: '\u202e001\u2066' };
    const { text } = payloadText(payload);
    expect(text).toContain('"\\u202e001\\u2066"');
    expect(JSON.parse(text)).toEqual(payload);
  });

  test('durations and times are readable', async () => {
    const { duration, utcTime } = await load('format.js');
    expect([0.42, 41.5, 999, 1000, 15_003].map(duration)).toEqual(['0.4 ms', '42 ms', '999 ms', '1.0 s', '15.0 s']);
    expect(utcTime('2026-11-20T10:00:00.012Z')).toBe('2026-11-20 10:00:00.012 UTC');
    expect(utcTime('some day')).toBe('some day');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../src/delivery/connections/address-guard.ts';

const guard = createAddressGuard([]);

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.32.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
])('%s is public', (address) => expect(guard(address)).toEqual({ allowed: true }));

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['10.0.0.5', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['fc00::1', 'private'],
  ['fd12:3456::1', 'private'],
  ['169.254.1.1', 'link-local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['169.254.169.254', 'cloud metadata'],
  ['168.63.129.16', 'cloud metadata'],
  ['100.100.100.200', 'cloud metadata'],
  ['fd00:ec2::254', 'cloud metadata'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  ['224.0.0.1', 'multicast'],
  ['ff02::1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['240.0.0.1', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:10.0.0.5', 'private'],
  ['::ffff:169.254.169.254', 'cloud metadata'],
  ['::127.0.0.1', 'loopback'],
  ['::8.8.8.8', 'reserved'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['64:ff9b::a9fe:a9fe', 'cloud metadata'],
  ['64:ff9b:1::808:808', 'NAT64'],
  ['64:ff9b:1::a00:5', 'private'],
  ['2002:7f00:1::', 'loopback'],
  ['2002:a00:5::1', 'private'],
  ['2002:808:808::1', '6to4'],
  ['2001:0:4136:e378:8000:63bf:80ff:fffe', 'loopback'],
  ['2001:0:4136:e378:8000:63bf:f7f7:f7f7', 'Teredo'],
  ['consumer.example', 'malformed'],
  ['0x7f.1', 'malformed'],
  ['2130706433', 'malformed'],
  ['', 'malformed'],
])('%s is %s', (address, range) => expect(guard(address)).toEqual({ allowed: false, range }));

describe('allowed networks', () => {
  test.each([
    ['10.0.0.0/8', '10.1.2.3'],
    ['10.0.0.0/8', '::ffff:10.1.2.3'],
    ['10.0.0.0/8', '64:ff9b::a01:203'],
    ['10.0.0.0/8', '2002:a01:203::1'],
    ['::ffff:10.0.0.0/104', '10.1.2.3'],
    ['::ffff:10.0.0.0/104', '::ffff:10.1.2.3'],
    ['169.254.169.254/32', '169.254.169.254'],
    ['0.0.0.0/0', '127.0.0.1'],
    ['::1/128', '::1'],
    ['fd00::/8', 'fd12::1'],
    ['2002::/16', '2002:a01:203::1'],
  ])('%s allows %s', (network, address) => {
    expect(createAddressGuard([network])(address)).toEqual({ allowed: true });
  });

  test('other addresses stay refused', () => {
    const some = createAddressGuard(['10.0.0.0/8', '::1/128']);
    for (const address of ['127.0.0.1', '192.168.0.1', 'fd00::1', '::ffff:127.0.0.1']) {
      expect(some(address).allowed).toBe(false);
    }
  });
});

const octet = fc.integer({ min: 0, max: 255 });

test('an IPv6 address that embeds an IPv4 address is allowed only if the IPv4 address is', () => {
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), ([a, b, c, d]) => {
      const plain = guard(`${a}.${b}.${c}.${d}`);
      const hex = (high: number, low: number) => (high * 256 + low).toString(16);
      const [high, low] = [hex(a, b), hex(c, d)];
      const inverted = `${hex(255 - a, 255 - b)}:${hex(255 - c, 255 - d)}`;
      expect(guard(`::ffff:${high}:${low}`)).toEqual(plain);
      expect(guard(`64:ff9b::${high}:${low}`)).toEqual(plain);
      for (const wrapped of [`2002:${high}:${low}::1`, `64:ff9b:1::${high}:${low}`, `2001:0:1:2:3:4:${inverted}`]) {
        const verdict = guard(wrapped);
        expect(verdict.allowed).toBe(false);
        if (!plain.allowed) expect(verdict).toEqual(plain);
      }
    }),
  );
});

test('any text is either allowed or refused, without an error', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => void guard(text)));
});

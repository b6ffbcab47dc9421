import { BlockList, isIP } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700:4700::1111', 'public'],
  ['[2606:4700:4700::1111]', 'public'],
  ['127.0.0.1', 'private'],
  ['0.0.0.0', 'private'],
  ['10.1.2.3', 'private'],
  ['172.15.0.1', 'public'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'private'],
  ['100.128.0.1', 'public'],
  ['198.18.5.5', 'private'],
  ['169.254.169.254', 'never'],
  ['224.0.0.1', 'never'],
  ['255.255.255.255', 'never'],
  ['::1', 'private'],
  ['::', 'private'],
  ['::ffff:127.0.0.1', 'private'],
  ['::ffff:8.8.8.8', 'public'],
  ['::ffff:169.254.169.254', 'never'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['64:ff9b::808:808', 'public'],
  ['2002:7f00:1::', 'private'],
  ['2001:db8::1', 'private'],
  ['fc00::1', 'private'],
  ['168.63.129.16', 'never'],
  ['168.63.129.17', 'public'],
  ['100.100.100.200', 'never'],
  ['100.100.100.201', 'private'],
  ['::ffff:168.63.129.16', 'never'],
  ['64:ff9b::100.100.100.200', 'never'],
  ['::169.254.169.254', 'never'],
  ['::a9fe:a9fe', 'never'],
  ['::ffff:0:169.254.169.254', 'never'],
  ['64:ff9b:1::169.254.169.254', 'never'],
  ['64:ff9b:1::8.8.8.8', 'private'],
  ['::8.8.8.8', 'private'],
  ['2002:a9fe:a9fe::', 'never'],
  ['169.254.170.2', 'never'],
  ['169.254.170.23', 'never'],
  ['169.254.0.23', 'never'],
  ['fd00:ec2::254', 'never'],
  ['fd00:ec2::23', 'never'],
  ['fd20:ce::254', 'never'],
  ['fd20:ce::255', 'private'],
  ['fd00:c1::a9fe:a9fe', 'never'],
  ['fd00:42::42', 'never'],
  ['fe80::1', 'never'],
  ['fe80::1%eth0', 'never'],
  ['ff02::1', 'never'],
  ['1.2.3', 'never'],
  ['1::2::3', 'never'],
  ['example.com', 'never'],
])('%s is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

/** Node's definition of private ranges. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('127.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('169.254.0.0', 16);
PRIVATE.addSubnet('100.64.0.0', 10);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
PRIVATE.addAddress('::1', 'ipv6');

const start = fc.constantFrom('10.', '127.', '172.16.', '172.31.', '192.168.', '169.254.', '100.64.', '8.');
/** IPv4 addresses with this prefix. */
const near = fc.tuple(start, fc.ipV4()).map(([head, address]) => {
  const rest = address.split('.').slice(head.split('.').length - 1);
  return `${head}${rest.join('.')}`;
});
const mapped = near.map((address) => `::ffff:${address}`);
const local6 = fc
  .tuple(fc.constantFrom('fc00', 'fd12', 'fe80', 'febf'), fc.nat(0xffff))
  .map(([head, tail]) => `${head}::${tail.toString(16)}`);

test('an address that Node treats as private is never public', () => {
  let seen = 0;
  fc.assert(
    fc.property(fc.oneof(near, mapped, local6), (address) => {
      const isPrivate = PRIVATE.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
      seen += isPrivate ? 1 : 0;
      expect(isPrivate && addressKind(address) === 'public').toBe(false);
    }),
    { numRuns: 2000 },
  );
  expect(seen).toBeGreaterThan(1000);
});

test('the same strings are recognized as IP addresses as in Node', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain(), fc.stringMatching(/^[0-9a-f:.]{1,20}$/)),
      (host) => {
        expect(isIpAddress(host)).toBe(isIP(host) !== 0);
      },
    ),
    { numRuns: 3000 },
  );
});

/**
 * Kind of an IP address, for a server that fetches configured URLs: `public` is on the internet,
 * `private` is this machine or a private network, and `never` cannot be a model server (instance
 * metadata, multicast, broadcast).
 */
export type AddressKind = 'public' | 'private' | 'never';

type Range = readonly [prefix: readonly number[], bits: number, kind: AddressKind];

/** @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const IPV4_RANGES: readonly Range[] = [
  [[0, 0, 0, 0], 8, 'private'],
  [[10, 0, 0, 0], 8, 'private'],
  // Alibaba Cloud's instance metadata. It precedes the range that contains it, because the first
  // match is used.
  [[100, 100, 100, 200], 32, 'never'],
  [[100, 64, 0, 0], 10, 'private'],
  [[127, 0, 0, 0], 8, 'private'],
  // Azure's wire server, which provides the machine's certificates and settings.
  [[168, 63, 129, 16], 32, 'never'],
  [[169, 254, 0, 0], 16, 'never'],
  [[172, 16, 0, 0], 12, 'private'],
  [[192, 0, 0, 0], 24, 'private'],
  [[192, 0, 2, 0], 24, 'private'],
  [[192, 88, 99, 0], 24, 'private'],
  [[192, 168, 0, 0], 16, 'private'],
  [[198, 18, 0, 0], 15, 'private'],
  [[198, 51, 100, 0], 24, 'private'],
  [[203, 0, 113, 0], 24, 'private'],
  [[224, 0, 0, 0], 4, 'never'],
  [[255, 255, 255, 255], 32, 'never'],
  [[240, 0, 0, 0], 4, 'private'],
];

/** The only range of global addresses that is used on the internet (2000::/3). */
const IPV6_GLOBAL = 0x20;
/** Prefixes of IPv6 addresses that embed an IPv4 address, and the offset of the IPv4 address in bytes. */
const EMBEDDED: readonly (readonly [prefix: readonly number[], at: number])[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 12],
  [[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 12],
  [[0x20, 0x02], 2],
];
/**
 * Prefixes of addresses that a local network can translate to the IPv4 address at their end: IPv4-compatible, IPv4-translated
 * and local-use addresses (https://www.rfc-editor.org/rfc/rfc8215).
 */
const TRANSLATED: readonly (readonly [prefix: readonly number[], bits: number])[] = [
  [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 96],
  [[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], 96],
  [[0, 0x64, 0xff, 0x9b, 0, 1], 48],
];
/** Addresses of instance metadata that are not link-local. */
const IPV6_METADATA: readonly (readonly [prefix: readonly number[], bits: number])[] = [
  // AWS: fd00:ec2::254 (EC2), fd00:ec2::23 (EKS credentials) and other services of the host.
  [[0xfd, 0, 0x0e, 0xc2], 32],
  // Google Cloud: fd20:ce::254.
  [[0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54], 128],
  // Oracle Cloud: fd00:c1::a9fe:a9fe.
  [[0xfd, 0, 0, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe], 128],
  // Scaleway: fd00:42::42.
  [[0xfd, 0, 0, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42], 128],
];
/** Addresses of Teredo tunnels, and addresses for documentation. */
const IPV6_PRIVATE: readonly (readonly [prefix: readonly number[], bits: number])[] = [
  [[0x20, 0x01, 0, 0], 32],
  [[0x20, 0x01, 0x0d, 0xb8], 32],
  [[0x3f, 0xff, 0], 20],
];

/** Classifies an IP address; invalid text is `never`. */
export function addressKind(address: string): AddressKind {
  const text = address
    .replace(/^\[(.*)\]$/, '$1')
    .split('%', 1)
    .join();
  const four = parseIpv4(text);
  if (four) return ipv4Kind(four);
  const six = parseIpv6(text);
  return six ? ipv6Kind(six) : 'never';
}

export const isIpAddress = (host: string): boolean =>
  parseIpv4(host) !== undefined || parseIpv6(host.replace(/^\[(.*)\]$/, '$1')) !== undefined;

/**
 * Whether a host is `localhost` or a private address. Other names do not count, because they can resolve to any
 * address later.
 */
export const isLocalHost = (host: string): boolean =>
  /^(localhost|.+\.localhost)\.?$/i.test(host) || (isIpAddress(host) && addressKind(host) === 'private');

function ipv4Kind(bytes: readonly number[]): AddressKind {
  return IPV4_RANGES.find(([prefix, bits]) => startsWith(bytes, prefix, bits))?.[2] ?? 'public';
}

function ipv6Kind(bytes: readonly number[]): AddressKind {
  const [, at] = EMBEDDED.find(([prefix]) => startsWith(bytes, prefix, prefix.length * 8)) ?? [];
  if (at !== undefined) return ipv4Kind(bytes.slice(at, at + 4));
  const isLinkLocal = startsWith(bytes, [0xfe, 0x80], 10);
  const isGroup = bytes[0] === 0xff;
  if (isLinkLocal || isGroup || isIn(IPV6_METADATA, bytes)) return 'never';
  if (isIn(TRANSLATED, bytes) && ipv4Kind(bytes.slice(12)) === 'never') return 'never';
  if (!startsWith(bytes, [IPV6_GLOBAL], 3)) return 'private';
  return isIn(IPV6_PRIVATE, bytes) ? 'private' : 'public';
}

function isIn(ranges: typeof IPV6_PRIVATE, bytes: readonly number[]): boolean {
  return ranges.some(([prefix, bits]) => startsWith(bytes, prefix, bits));
}

function startsWith(bytes: readonly number[], prefix: readonly number[], bits: number): boolean {
  for (let at = 0; at * 8 < bits; at += 1) {
    const mask = (0xff << Math.max(0, 8 - (bits - at * 8))) & 0xff;
    if (((bytes[at] ?? 0) & mask) !== ((prefix[at] ?? 0) & mask)) return false;
  }
  return true;
}

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split('.');
  const areBytes = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256);
  return areBytes ? parts.map(Number) : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  if (!text.includes(':')) return undefined;
  // The last four bytes of an IPv6 address can be written as an IPv4 address.
  const [, head = '', tail] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const last = tail === undefined ? undefined : parseIpv4(tail);
  if (tail !== undefined && !last) return undefined;
  const hex = last ? `${head}${toGroups(last)}` : text;
  const halves = hex.split('::');
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map((half) => (half === '' ? [] : half.split(':')));
  if (!left) return undefined;
  const missing = 8 - left.length - (right?.length ?? 0);
  if (right ? missing < 1 : missing !== 0) return undefined;
  const groups = [...left, ...Array.from({ length: right ? missing : 0 }, () => '0'), ...(right ?? [])];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
}

function toGroups([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string {
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

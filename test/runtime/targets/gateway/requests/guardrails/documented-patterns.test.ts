import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compileLinearPattern, matchesOf } from '#platform/linear-pattern.ts';

const docs = readFileSync(new URL('../../../../../../docs/gateway-config.md', import.meta.url), 'utf8');
const [, source = ''] = /IBAN: '([^']+)'/.exec(docs) ?? [];
const pattern = compileLinearPattern(source);

/** Published examples, from the shortest to the longest. */
const EXAMPLES = [
  'NO93 8601 1117 947',
  'BE68 5390 0754 7034',
  'DK50 0040 0440 1162 43',
  'FI21 1234 5600 0007 85',
  'NL91 ABNA 0417 1643 00',
  'AT61 1904 3002 3457 3201',
  'EE38 2200 2210 2014 5685',
  'LU28 0019 4006 4475 0000',
  'CH93 0076 2011 6238 5295 7',
  'DE89 3704 0044 0532 0130 00',
  'GB29 NWBK 6016 1331 9268 19',
  'IE29 AIBK 9311 5212 3456 78',
  'AE07 0331 2345 6789 0123 456',
  'CZ65 0800 0000 1920 0014 5399',
  'ES91 2100 0418 4502 0005 1332',
  'SE45 5000 0000 0583 9825 7466',
  'PT50 0002 0123 1234 5678 9015 4',
  'TR33 0006 1005 1978 6457 8413 26',
  'FR14 2004 1010 0505 0001 3M02 606',
  'GR16 0110 1250 0000 0001 2300 695',
  'IT60 X054 2811 1010 0000 0123 456',
  'HU42 1177 3016 1111 1018 0000 0000',
  'PL61 1090 1014 0000 0712 1981 2874',
  'MU17 BOMM 0101 1010 3030 0200 000M UR',
  'SC18 SSCB 1101 0000 0000 0000 1497 USD',
  'MT84 MALT 0110 0001 2345 MTLC AST0 01S',
  'LC55 HEMM 0001 0001 0012 0012 0002 3015',
  'RU03 0445 2522 5408 1781 0538 0913 1041 9',
];

test.each(EXAMPLES.flatMap((one) => [one, one.replaceAll(' ', '')]))(
  'the documented pattern matches all of %s',
  async (iban) => {
    const text = `Please pay to ${iban}, or to (${iban}).`;
    const found = await matchesOf(pattern, text, performance.now() + 5000);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([iban, iban]);
  },
);

test.each(['A12 of 2026', 'the year 2026 0101 2020', 'order AB12', 'Win32 and x86'])(
  'the documented pattern does not match %s',
  async (text) => expect(await matchesOf(pattern, text, performance.now() + 5000)).toEqual([]),
);

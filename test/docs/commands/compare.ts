/** Parts of output that differ from run to run: ids, times, sizes, ports and secrets. The order matters. */
const VARYING: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>'],
  [/\b[0-9a-f]{32}\b/g, '<id>'],
  [/\bgw-[\w-]{7,}…?/g, '<key>'],
  [/\bmcpm_(?:[\w-]+|…)/g, '<key>'],
  [/\b\d{8}T\d{6}Z/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/g, '<time>'],
  [/\(\d+ bytes\)/g, '<bytes>'],
  [/\bcommit [0-9a-f]{12}\b/g, '<commit>'],
  // Of the schema of the database, which grows with each migration.
  [/\bversion \d+\b/g, '<version>'],
  [/\b\d+(?:\.\d+)? ?(?:[kMG]i?B|ms|s|µs)\b/g, '<amount>'],
  [/((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::\]):)\d+/g, '$1<port>'],
  [/\bPID \d+/g, '<pid>'],
  [/(^|\n)[0-9a-f]{8}(?= )/g, '$1<id>'],
  [/\([0-9a-f]{8}\)/g, '(<id>)'],
  [/-{3,}/g, '---'],
  [/[ \t]+/g, ' '],
  [/[ \r](?=\n|$)/g, ''],
];

const FRACTION = /-?\d+\.\d{4,}/g;
const FRACTION_GROUP = String.raw`(-?\d+\.\d+)`;
/** Processors round differently in the last digits of a 32-bit float. */
const TOLERANCE = 1e-5;

const normalized = (text: string): string =>
  VARYING.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text.trim());

/**
 * Whether a program printed what a page shows. `…` stands for any text; ids, times, sizes and ports can differ, and numbers with many
 * digits in the last ones. Where a page shows no output, any output but an error is right.
 */
export function isOutputOf(actual: string, shown: string): boolean {
  if (shown === '') return !/^Error:/m.test(actual);
  const wanted = normalized(shown);
  const pattern = wanted
    .split('…')
    .map((part) =>
      part
        .split(FRACTION)
        .map((fixed) => fixed.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
        .join(FRACTION_GROUP),
    )
    .join('[^]*');
  const found = new RegExp(`^${pattern}$`).exec(normalized(actual));
  const numbers = wanted.match(FRACTION) ?? [];
  return (
    found !== null &&
    numbers.every((number, index) => Math.abs(Number(number) - Number(found[index + 1])) <= TOLERANCE)
  );
}

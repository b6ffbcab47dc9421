/** Parts of output that differ between runs: IDs, times, sizes, ports and secrets. The order matters. */
const VARYING: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>'],
  [/\b[0-9a-f]{32}\b/g, '<id>'],
  [/\bgw-[\w-]{7,}…?/g, '<key>'],
  [/\bmcpm_(?:[\w-]+|…)/g, '<key>'],
  [/\b\d{8}T\d{6}Z/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/g, '<time>'],
  [/\(\d+ bytes\)/g, '<bytes>'],
  [/\bcommit [0-9a-f]{12}\b/g, '<commit>'],
  // The version of the database schema, which increases with each migration.
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
/** The last digits of 32-bit floats differ between CPUs. */
const TOLERANCE = 1e-5;

const normalized = (text: string): string =>
  VARYING.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text.trim());

/**
 * Whether a program printed the documented output. `…` stands for any text; IDs, times, sizes and ports can differ, and numbers with many
 * digits in the last digits. If a page shows no output, any output except an error is accepted.
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

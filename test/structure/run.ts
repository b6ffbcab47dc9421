import { relative } from 'node:path';
import { ROOT } from '../helpers/paths.ts';
import { countSources } from './counts.ts';
import { followTrips } from './trips.ts';

// `npm run structure [-- --files] [-- --root FOLDER]`: counts the files of each subject, in this repository or in another checkout.

const args = process.argv.slice(2);
const at = args.indexOf('--root');
const root = at === -1 ? ROOT : (args[at + 1] ?? ROOT);

const counts = countSources(root);
const rows: [string, string][] = [
  ['product files, written by hand', String(counts.files)],
  ['lines', String(counts.lines)],
  ['share of lines in files of more than 200 lines', `${(counts.shareOfLongFiles * 100).toFixed(1)} %`],
  ['files with one importer, in their folder, without a test', String(counts.crumbs)],
  ['exported names', String(counts.exports)],
  ['exported names that several files define', String(counts.repeatedExports)],
];
const trips = await followTrips(root);
for (const [name, trip] of Object.entries(trips)) rows.push([`files that run in ${name}`, String(trip.size)]);
for (const [name, value] of rows) console.log(`${name.padEnd(60)} ${value}`);
if (args.includes('--files')) {
  for (const [name, trip] of Object.entries(trips)) {
    console.log(`\n${name}`);
    for (const [file, functions] of [...trip].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      console.log(`  ${relative(root, file)}: ${[...new Set(functions)].filter(Boolean).join(', ')}`);
    }
  }
}

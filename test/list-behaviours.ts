import { BEHAVIOURS } from './contract/behaviours.ts';

// `npm run behaviours`: every promise that the contract tests verify, one per line, to compare before and after a change.

const entries = Object.entries(BEHAVIOURS).sort(([a], [b]) => (a < b ? -1 : 1));
for (const [id, { behaviour }] of entries) console.log(`${id}\t${behaviour}`);
console.error(`${entries.length} behaviours`);

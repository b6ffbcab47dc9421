import { BEHAVIORS } from './contract/behaviors.ts';

// `npm run behaviors`: prints every behavior that the contract tests verify, one per line, for comparison before and after a change.

const entries = Object.entries(BEHAVIORS).sort(([a], [b]) => (a < b ? -1 : 1));
for (const [id, { behavior }] of entries) console.log(`${id}\t${behavior}`);
console.error(`${entries.length} behaviors`);

import { SCAN_RULES, type ScanRule } from '#manager/scanning/finding.ts';
import { createGuard } from '#manager/scanning/create-guard.ts';
import { scanText } from '#manager/scanning/scan-text.ts';
import { scanValue } from '#manager/scanning/scan-value.ts';
import { keysOf } from '#core/values/keys.ts';
import { systemClock } from '#platform/clock.ts';
import { createRedactor } from '#serve/redact.ts';
import { printTable } from '../bench/measure/print.ts';
import { collectTools } from '../tool-search/collect.ts';
import { isHeldOut, readDescriptions, readSamples } from './samples.ts';
import { SCANNED_SERVERS } from './servers.ts';

// `npm run test:injection`: scans samples of injections and the tools of published servers, and prints what the rules find, what they miss and their false
// alarms. Half of the samples and half of the servers were used to choose the rules; the others are held out. Requires npx, Python 3 and the registries. The
// first run starts more than 100 servers, which takes 15 minutes on 2 cores; later runs take seconds. SHOW=1 prints missed samples and false alarms of the
// half that is not held out. INJECTION_SAMPLES names a file with more samples.

const show = process.env['SHOW'] === '1';
const found = new Map<ScanRule, { poisoned: number; harmless: number; missed: number }>();
for (const rule of keysOf(SCAN_RULES)) found.set(rule, { poisoned: 0, harmless: 0, missed: 0 });
const count = (rules: Iterable<ScanRule>, isPoisoned: boolean): void => {
  for (const rule of new Set(rules)) {
    const counts = found.get(rule);
    if (counts) counts[isPoisoned ? 'poisoned' : 'harmless'] += 1;
  }
};

const samples = await readSamples();
const groups = Map.groupBy(samples, ({ source, isHeldOut: held }) => `${source}${held ? ', held out' : ''}`);
const rows = [...groups].map(([group, all]) => {
  const sums = { poisoned: 0, found: 0, harmless: 0, false: 0 };
  for (const { text, kind, isPoisoned, rule, isHeldOut: held } of all) {
    const rules = scanText(text, kind).map((match) => match.rule);
    count(rules, isPoisoned);
    const expected = rule === undefined ? undefined : found.get(rule as ScanRule);
    if (expected && !rules.some((one) => one === rule)) expected.missed += 1;
    sums[isPoisoned ? 'poisoned' : 'harmless'] += 1;
    if (rules.length > 0) sums[isPoisoned ? 'found' : 'false'] += 1;
    if (show && !held && isPoisoned === (rules.length === 0))
      console.log(isPoisoned ? 'missed:' : `false (${rules.join(', ')}):`, text);
  }
  return [group, sums.poisoned, sums.found, sums.poisoned - sums.found, sums.harmless, sums.false].map(
    String,
  );
});
printTable(['samples', 'poisoned', 'found', 'missed', 'harmless', 'false'], rows);

const servers = await collectTools(SCANNED_SERVERS);
const halves = Map.groupBy(servers, ({ name }) => (isHeldOut(name) ? 'held out' : 'chosen with'));
const alarms: string[][] = [];
for (const [half, all] of halves) {
  let [tools, characters, flagged] = [0, 0, 0];
  for (const { name, tools: listed } of all) {
    for (const tool of listed) {
      tools += 1;
      characters += JSON.stringify(tool).length;
      const findings = await scanValue(tool, 'definition');
      if (findings.length === 0) continue;
      flagged += 1;
      count(
        findings.map(({ rule }) => rule),
        false,
      );
      console.log(
        `${half}: ${name}/${tool.name}: ${findings.map(({ rule, excerpt }) => `${rule}: ${excerpt}`).join('; ')}`,
      );
    }
  }
  alarms.push([half, all.length, tools, characters, flagged].map(String));
}
console.log('');
printTable(['published servers', 'servers', 'tools', 'characters', 'false'], alarms);

const documents = Map.groupBy(readDescriptions(), ({ name }) =>
  isHeldOut(name) ? 'held out' : 'chosen with',
);
const documentRows: string[][] = [];
for (const [half, all] of documents) {
  let [flagged, characters] = [0, 0];
  for (const { name, text } of all) {
    characters += text.length;
    const findings = await scanValue({ text }, 'content');
    if (findings.length === 0) continue;
    flagged += 1;
    count(
      findings.map(({ rule }) => rule),
      false,
    );
    console.log(`${half}: ${name}: ${findings.map(({ rule, excerpt }) => `${rule}: ${excerpt}`).join('; ')}`);
  }
  documentRows.push([half, all.length, characters, flagged].map(String));
}
console.log('');
printTable(['README files of packages', 'files', 'characters', 'false'], documentRows);

// All servers together, for the rules that compare names.
const guard = createGuard({ supervisor: () => undefined, redact: createRedactor(), clock: systemClock });
const scanned = servers.map(({ name, tools }) => ({
  server: { name, spec: () => ({ name }) as never },
  tools: tools.map((tool) => ({ ...tool })),
}));
for (let round = 0; round < 2; round += 1) {
  for (const { server, tools } of scanned) await guard.items(server, 'tools', tools, { isWhole: true });
}
const compared = scanned
  .flatMap(({ server }) => guard.definitionFindings(server.name))
  .filter(({ rule }) => rule === 'look-alike-name' || rule === 'shadowing');
for (const { server, name, rule, excerpt } of compared) console.log(`${server}/${name}: ${rule}: ${excerpt}`);
for (const rule of ['look-alike-name', 'shadowing'] as const) {
  const counts = found.get(rule);
  if (counts) counts.harmless += compared.filter((one) => one.rule === rule).length;
}

console.log('');
printTable(
  ['rule', 'true', 'false', 'missed'],
  [...found].map(([rule, { poisoned, harmless, missed }]) => [rule, poisoned, harmless, missed].map(String)),
);

const text = servers.flatMap(({ tools }) => tools.map((tool) => JSON.stringify(tool))).join(' ');
for (const kind of ['definition', 'content'] as const) {
  const parts = Array.from({ length: Math.min(200, Math.floor(text.length / 10_000)) }, (_, at) =>
    text.slice(at * 10_000, (at + 1) * 10_000),
  );
  for (const part of parts) scanText(part, kind);
  const start = process.cpuUsage().user;
  for (const part of parts) scanText(part, kind);
  const milliseconds = (process.cpuUsage().user - start) / 1000 / parts.length;
  console.log(`${kind}: ${milliseconds.toFixed(2)} ms of CPU time per 10,000 characters`);
}

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readPlanInThread } from '../../runtime/targets/manager/openapi/read-plan-in-thread.ts';
import type { ApiPlan } from '../../runtime/targets/manager/openapi/plan.ts';
import { compileProblem } from '../../runtime/platform/json-schema/compile-problem.ts';
import { printTable } from '../bench/measure/print.ts';
import { chosen } from '../helpers/chosen.ts';
import { installLocked } from '../helpers/install-locked.ts';
import { FIXTURES } from '../helpers/paths.ts';
import { PUBLISHED_DOCUMENTS, type PublishedDocument } from './documents.ts';
import { expectedRequests } from './expected-requests.ts';

// `npm run test:openapi`: makes tools of published OpenAPI documents, checks their names and schemas as clients do, and prints a table with
// the time and the memory of each. Compares the requests that tests expect with those of swagger-client, an independent implementation;
// `--update` writes them. Arguments select documents by name. Requires npm; takes about three minutes.

const MAX_COMPILED = 50;
const GOLDEN = join(FIXTURES, 'golden', 'openapi-requests.json');
const words = process.argv.slice(2).filter((word) => word !== '--update');
const problems: string[] = [];
await installLocked(import.meta.dirname, 'OpenAPI documents and swagger-client from npm');

const requests = `${JSON.stringify(await expectedRequests(), undefined, 1)}\n`;
if (process.argv.includes('--update')) writeFileSync(GOLDEN, requests);
else if (!existsSync(GOLDEN) || readFileSync(GOLDEN, 'utf8') !== requests)
  problems.push('fixtures/golden/openapi-requests.json differs from the requests of swagger-client.');

const metaSchema = new Ajv2020({ strict: false, logger: false, validateFormats: false }).getSchema(
  'https://json-schema.org/draft/2020-12/schema',
);
const rows: string[][] = [];
for (const document of chosen(PUBLISHED_DOCUMENTS, ({ name }) => name, words))
  rows.push(await check(document));
printTable(
  ['document', 'MB', 'operations', 'tools', 'dropped', 's', 'memory MB', 'list MB', 'longest schema'],
  rows,
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

async function check({ name, file, baseUrl, dropped = 0 }: PublishedDocument): Promise<string[]> {
  const path = join(import.meta.dirname, 'node_modules', file);
  const bytes = statSync(path).size;
  const memory = process.memoryUsage.rss();
  let peak = memory;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const startedAt = performance.now();
  const plan = await readPlanInThread({
    server: 'api',
    text: readFileSync(path, 'utf8'),
    ownHeaders: [],
    settings: {
      document: path,
      baseUrl,
      origins: [],
      variables: {},
      include: ['*'],
      exclude: [],
      fixed: {},
      credentials: {},
      pathSlashes: [],
      refreshMs: 0,
    },
  });
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampler);
  if (plan.dropped.length > dropped) {
    const [first] = plan.dropped;
    problems.push(
      `${name}: ${plan.dropped.length} operations are dropped; the first is ${first?.operation}: ${first?.reason}.`,
    );
  }
  checkTools(name, plan);
  const list = JSON.stringify(plan.tools.map(({ definition }) => definition)).length;
  const longest = Math.max(
    0,
    ...plan.tools.map(({ definition }) => JSON.stringify(definition.inputSchema).length),
  );
  return [
    name,
    (bytes / 1e6).toFixed(1),
    String(plan.operations),
    String(plan.tools.length),
    String(plan.dropped.length),
    seconds.toFixed(1),
    ((peak - memory) / 1e6).toFixed(0),
    (list / 1e6).toFixed(1),
    String(longest),
  ];
}

/** Checks what strict clients and model providers require of tools. */
function checkTools(document: string, { tools }: ApiPlan): void {
  const names = new Set<string>();
  for (const [index, { definition }] of tools.entries()) {
    const { name, description, inputSchema, outputSchema } = definition;
    const complain = (problem: string): void => void problems.push(`${document}: ${name}: ${problem}`);
    if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) complain('the name is invalid');
    if (names.has(name.toLowerCase())) complain('the name is not unique');
    names.add(name.toLowerCase());
    if (typeof description !== 'string' || description.length > 1024) complain('the description is too long');
    const properties = Object.keys(inputSchema['properties'] ?? {});
    if (!properties.every((property) => /^[A-Za-z0-9_.-]{1,64}$/.test(property)))
      complain('an argument name is invalid');
    for (const schema of [inputSchema, outputSchema]) {
      if (!schema) continue;
      if (metaSchema?.(schema) !== true)
        complain(`a schema is invalid: ${JSON.stringify(metaSchema?.errors?.[0])}`);
      // Compiling takes milliseconds, so of large documents only a part is compiled.
      if (index % Math.ceil(tools.length / MAX_COMPILED) !== 0) continue;
      const problem = compileProblem(schema, 'client');
      if (problem !== undefined) complain(`a schema does not compile: ${problem}`);
    }
  }
}

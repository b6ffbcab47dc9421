// Writes all generated files that are committed. With --check, it changes nothing and fails if there is a difference.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchemaText } from '../cli/services/schema.ts';
import { schemaText as gatewaySchemaText } from '../runtime/targets/gateway/config/schema-text.ts';
import { decisionIndex } from './decision-index.mjs';
import { withInheritedNames } from './inherited-names.mjs';
import { withMemberTable } from './member-table.mjs';
import { nodeTypesText } from './node-types.mjs';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const run = (tool, ...args) =>
  execFileSync(tool, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });

const GENERATED = 'runtime/gen';

const filesBelow = (root) =>
  readdirSync(join(root, GENERATED), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(GENERATED, file));
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

const FLAGS = 'docs/flags.md';
const TRANSFORMS = 'docs/transforms.md';
/** Generated files, or files with generated parts. */
const DOCUMENTS = {
  'docs/config.schema.json': `${configSchemaText()}\n`,
  'docs/decisions/README.md': decisionIndex(join(cwd, 'docs/decisions')),
  'docs/gateway.schema.json': gatewaySchemaText(),
  'runtime/targets/encoder/library/request-types.ts': nodeTypesText(),
  [FLAGS]: withInheritedNames(read(join(cwd, FLAGS))),
  [TRANSFORMS]: withMemberTable(read(join(cwd, TRANSFORMS))),
};

if (!check) {
  run('buf', 'generate');
  for (const [path, text] of Object.entries(DOCUMENTS)) writeFileSync(join(cwd, path), text);
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-generate-'));
  try {
    run('buf', 'generate', '--output', scratch);
    const files = new Set([...filesBelow(cwd), ...filesBelow(scratch)]);
    const stale = [...files].filter((file) => read(join(cwd, file)) !== read(join(scratch, file)));
    stale.push(...Object.keys(DOCUMENTS).filter((path) => read(join(cwd, path)) !== DOCUMENTS[path]));
    if (stale.length > 0) {
      console.error(`Not up to date: ${stale.join(', ')}. Run \`npm run generate\` and commit the result.`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

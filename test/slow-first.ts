import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than 35 seconds on a busy machine with two CPUs, slowest first. A missing file only makes a run longer. */
const SLOW = [
  'contract/predict',
  'contract/alone-or-together',
  'contract/gateway/process-run',
  'contract/build-files',
  'contract/build-oci',
  'contract/manager/stdio',
  'contract/gateway/cli-experiment',
  'contract/gateway/cli-keys',
  'contract/zero-shot-ner',
  'contract/gpu',
  'contract/quantize',
  'contract/gateway/workflows',
  'contract/gateway/process-start',
  'contract/windows',
  'contract/fill-mask',
  'contract/one-file',
  'contract/not-finite',
  'contract/build',
  'contract/serve',
  'contract/manager/real-servers',
  'contract/gateway/process-killed',
  'contract/infer-file',
  'contract/sentence',
  'contract/build-transform',
  'contract/infer',
  'contract/sparse',
  'contract/manager/daemon-servers',
  'docs/commands',
  'gateway/evaluation/workflows/retry',
  'platforms/linux-arm64',
  'cli/release/release',
  'pages/gallery',
  'gateway/evaluation/jobs/killed',
  'encoder/http/page/looks',
  'gateway/accounts/ledger/processes',
  'encoder/golden',
  'gateway/requests/completions/plan-sources',
  'encoder/http/openapi-requests',
  'encoder/http/page/try',
  'encoder/http/page/states',
  'manager/http/pages/pages',
  'manager/http/malformed-responses',
  'gateway/api/pages/flows',
  'platforms/minimal-root',
  'cli/packaging/binary/elf-libatomic',
  'cli/commands/target',
  'gateway/evaluation/jobs/runner',
  'cli/commands/transform',
  'gateway/api/pages/looks',
  'encoder/sentence-modules',
  'serve/program/watchdog/watchdog',
].map((name) => `/${name}.test.ts`);

/**
 * The order of test files: project by project, because a worker is reused only if its next file belongs to the same project; in each
 * project, the slow files first, so that no long file runs alone at the end.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => projectOf(a) - projectOf(b) || slownessOf(a) - slownessOf(b));
  }
}

const ORDER = ['unit', 'contract', 'e2e'];
const projectOf = ({ project }: TestSpecification): number => ORDER.indexOf(project.name);

function slownessOf({ moduleId }: TestSpecification): number {
  const place = SLOW.findIndex((name) => moduleId.endsWith(name));
  return place === -1 ? SLOW.length : place;
}

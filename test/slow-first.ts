import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than 15 seconds, the slowest first. What is missing here only makes a run longer. */
const SLOW = [
  'contract/build-files',
  'contract/predict',
  'contract/gateway/process-killed',
  'contract/build-oci',
  'contract/alone-or-together',
  'contract/build',
  'contract/build-transform',
  'contract/gateway/cli-database',
  'contract/one-file',
  'contract/build-hub',
  'contract/gateway/cli-experiment',
  'contract/serve',
  'contract/manager/real-servers',
  'contract/serve-process',
  'gateway/evaluation/workflows/retry',
  'cli/release/release',
  'encoder/golden',
  'encoder/http/page/looks',
  'docs/commands',
  'gateway/accounts/ledger/processes',
  'encoder/engine/serving-engine',
  'gateway/evaluation/jobs/killed',
  'cli/commands/completion',
  'manager/http/malformed-responses',
  'encoder/http/page/states',
  'gateway/evaluation/jobs/runner',
  'cli/commands/target',
  'encoder/http/openapi-requests',
  'encoder/http/page/docs',
  'gateway/requests/completions/abandoned',
  'cli/commands/pull',
  'gateway/evaluation/work/encoders',
  'cli/commands/transform',
].map((name) => `/${name}.test.ts`);

/**
 * The order of test files: project by project, because a worker is kept only while its next file is of the same project, and in
 * each the slow ones first, so that no long file runs alone at the end.
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

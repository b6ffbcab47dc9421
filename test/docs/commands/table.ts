import type { ShellBlock } from './blocks.ts';
import type { Session } from './session.ts';
import { SESSIONS } from './sessions.ts';

/** Code blocks that other tests run, by page, or by page and section. */
const RUN_BY: Readonly<Record<string, string>> = {
  'docs/transforms.md': 'test/docs/transforms.test.ts',
  'docs/experiment-pages.md': 'the session of docs/tutorial-experiment.md',
  'docs/workflows.md#Run a comparison from one file': 'the session of docs/tutorial-experiment.md',
  'docs/gateway-config.md#Short-lived keys': 'test/contract/gateway/http-teams.test.ts',
  'docs/gateway.md#Queues': 'test/runtime/targets/gateway/accounts/fields.test.ts',
  'docs/how-to/rest-api.md': 'test/contract/manager/openapi.test.ts',
  'docs/how-to/evaluate-agents.md': 'test/contract/gateway/cli-agents.test.ts',
  'docs/how-to/aws-lambda.md': 'npm run test:how-to',
  'docs/build.md#From a model name': 'npm run test:how-to',
  'docs/export.md': 'npm run test:exports',
  'docs/tutorial.md#1. Build': 'npm run test:how-to',
  'docs/tutorial.md#2. Try it': 'npm run test:how-to',
};

const PUBLISHED_MODEL = 'needs a published model; the output is of a run by hand';
const LISTS = 'lists commands, whose names and options test/docs/command-lines.test.ts checks';
const INSTALLS = 'installs packages that npm run test:how-to installs, too';

/** Reasons why code blocks are not run, by page, or by page and section. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'README.md#encoderfile': PUBLISHED_MODEL,
  'README.md#Install':
    'installs a release; npm run test:install does so, and npm run demo runs the same builds',
  'docs/deploy.md': 'needs root and other programs; npm run test:deploy runs the same files',
  'docs/install.md': 'installs a release; npm run test:install does so',
  'docs/oci.md': 'needs skopeo and Podman; npm run test:oci runs images with them',
  'docs/bench.md': 'measures for a minute, and each number differs',
  'docs/benchmarks.md': 'measures for half an hour',
  'docs/build.md': LISTS,
  'docs/config.md': LISTS,
  'docs/config.md#int8': PUBLISHED_MODEL,
  'docs/gateway.md#Images for encoders':
    'needs an encoder of images; test/contract/gateway/images.test.ts sends the same requests',
  'docs/gateway-clients.md': 'needs command line agents, which were run by hand',
  'docs/gpu.md': LISTS,
  'docs/hub.md': LISTS,
  'docs/images.md':
    'needs a model of images; test/contract/images.test.ts runs the same commands with others',
  'docs/infer.md': LISTS,
  'docs/infer.md#Where the time goes': 'each number differs',
  'docs/mcp-manager-cli.md#Installation': 'installs a package; npm run test:servers installs 27',
  'docs/mcp-manager-cli.md#Sign-in to remote servers':
    'needs a person at a browser; npm run test:sign-in signs in with several servers',
  'docs/mcp-manager.md': LISTS,
  'docs/mcp-manager-pages.md': LISTS,
  'docs/mcp.md': LISTS,
  'docs/node.md': 'installs a package; npm run test:install runs programs with it',
  'docs/platforms.md': LISTS,
  'docs/python.md': 'installs a wheel; npm run test:python does so, and runs the programs on the page',
  'docs/releasing.md': 'downloads Node for all platforms and writes a release',
  'docs/serve.md': LISTS,
  'docs/telemetry.md': 'needs a collector',
  'docs/transforms.md#Lua transforms': LISTS,
  'docs/tutorial.md': PUBLISHED_MODEL,
  'docs/try.md': LISTS,
  'docs/workflows.md': LISTS,
  'docs/how-to/docker.md': 'needs Podman and a published model; npm run test:oci runs images of other models',
  'docs/how-to/langchain.md': INSTALLS,
  'docs/how-to/llamaindex.md': INSTALLS,
  'docs/how-to/open-webui.md': 'needs Open WebUI, with which it was run by hand',
  'docs/how-to/pgvector.md': INSTALLS,
  'docs/how-to/qdrant.md': INSTALLS,
  'docs/how-to/sign-in.md': 'needs a person at a browser; npm run test:sign-in signs in with several servers',
  'docs/how-to/ab-tests.md':
    'needs models of providers; test/contract/gateway/cli-ab.test.ts runs the same commands',
  'docs/how-to/shadow.md':
    'needs models of providers; test/runtime/targets/gateway/api/shadow.test.ts sends the same requests',
  'docs/how-to/workloads.md':
    'needs tokens of CI systems and clusters; test/contract/gateway/http-teams.test.ts has those of another issuer',
  'docs/how-to/teams.md': 'needs a person at a browser; npm run test:oidc signs in',
};

/** The test that runs a code block, or the reason why none does. */
export type Coverage = { readonly by: string } | { readonly why: string };

export function coverageOf(block: ShellBlock): Coverage | undefined {
  const { page, section } = block;
  const key = `${page}#${section}`;
  if (sessionOf(block) !== undefined) return { by: 'test/docs/commands.test.ts' };
  const by = RUN_BY[key] ?? (NOT_RUN[key] === undefined ? RUN_BY[page] : undefined);
  if (by !== undefined) return { by };
  const why = NOT_RUN[key] ?? NOT_RUN[page];
  return why === undefined ? undefined : { why };
}

/** The session that runs a block. Blocks without a prompt are lists of commands, which no session runs. */
export const sessionOf = ({ page, section, hasPrompt }: ShellBlock): Session | undefined =>
  hasPrompt
    ? SESSIONS.find((one) => one.page === page && (one.sections?.includes(section) ?? true))
    : undefined;

/** Keys of the table that name a nonexistent page or section, or that are no longer needed. */
export function unusedKeys(blocks: readonly ShellBlock[]): string[] {
  const used = new Set(
    blocks
      .filter((block) => sessionOf(block) === undefined)
      .flatMap(({ page, section }) => [page, `${page}#${section}`]),
  );
  return [...Object.keys(RUN_BY), ...Object.keys(NOT_RUN)].filter((key) => !used.has(key));
}

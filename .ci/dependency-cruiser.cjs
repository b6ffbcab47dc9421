/** The way imports point. `.ci/architecture.mjs` checks these rules, and that modules were seen. */
const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const NODE = '^(node:)';
const PURE_PACKAGES = '^node_modules/(typebox|@bufbuild/protobuf|fastest-levenshtein|yaml|ajv)/';
/** Folders of targets that hold pure code, as `runtime/core` does for all targets. */
const PURE_FOLDERS =
  '^runtime/targets/(encoder/(json|math)|gateway/(shared|evaluation/metrics)|manager/shared)/';
/**
 * The layers of each target, from the lowest up: a layer imports only layers before it, and those on its own line are independent of
 * each other. `test/architecture.test.ts` fails for a folder that is in none.
 */
const LAYERS = {
  encoder: [
    'json math grpc/server',
    'tasks model.ts',
    'engine',
    'infer context.ts schemas',
    'served',
    'predict',
    'bench mcp grpc/[^/]+.ts',
    'http',
    'servers library',
    'commands',
    'program.ts',
    'main.ts',
  ],
  gateway: [
    'shared providers/shapes evaluation/metrics accounts/retention.ts',
    'accounts/fields accounts/sealed-values.ts',
    'store providers/streams',
    'providers/wires accounts/cache-clears.ts accounts/identity accounts/audit accounts/guardrail-hits accounts/price-map accounts/registry ' +
      'evaluation/artifacts.ts evaluation/worker-progress.ts evaluation/secrets.ts',
    'accounts/ledger accounts/sign-in accounts/workloads',
    'accounts/objects accounts/feedback accounts/prompts accounts/idempotency accounts/shadow',
    'providers/references.ts',
    'providers/adapters',
    'alerts requests/guardrails requests/routing evaluation/datasets',
    'requests/cache requests/tokens evaluation/work',
    'gateway-state.ts requests/models evaluation/experiments',
    'config requests/policy',
    'requests/completions registry evaluation/jobs',
    'requests/realtime requests/shadow requests/stored requests/tools telemetry evaluation/workflows evaluation/traffic',
    'context.ts evaluation/compare evaluation/rows',
    'evaluation/plots',
    'api',
    'servers library',
    'commands',
    'program.ts',
    'main.ts',
  ],
  manager: [
    'shared',
    'config shapes',
    'sealed',
    'long-results openapi',
    'access config-edit registry sign-in',
    'install upstream user-secrets',
    'meanings saved-lists supervisor',
    'scanning',
    'calls plugins',
    'context.ts pins scripts',
    'http',
    'client mcp',
    'servers library',
    'commands',
    'program.ts',
    'main.ts',
  ],
};
const layersPointDown = Object.entries(LAYERS).flatMap(([target, floors]) => {
  const paths = floors.map((floor) =>
    floor.split(' ').map((layer) => layer.replaceAll('.ts', '\\.ts$').replace(/(?<!\$)$/, '/')),
  );
  return paths.flatMap((floor, index) =>
    floor.map((layer) =>
      forbid(
        `${target}-layers-point-down`,
        { path: `^runtime/targets/${target}/${layer}` },
        {
          path: `^runtime/targets/${target}/(${paths.slice(index).flat().join('|')})`,
          pathNot: `^runtime/targets/${target}/${layer}`,
        },
        'A type that two layers share belongs to the lower one.',
      ),
    ),
  );
});
module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }, 'Imports point one way.'),
    forbid(
      'resolvable',
      // The clients of others are installed when their script runs.
      { pathNot: '^test/clients/' },
      { couldNotResolve: true },
      'Every import leads somewhere.',
    ),
    forbid(
      'runtime-never-imports-cli',
      { path: '^runtime/' },
      { path: '^cli/' },
      'The runtime ships; the builder does not.',
    ),
    forbid(
      'cli-sees-no-servers',
      { path: '^cli/' },
      { path: '^runtime/', pathNot: '^runtime/(contract|core|gen|transform|platform)/' },
      'The CLI names runtime entry files by path for esbuild; it never loads them. Both use Node through the same code.',
    ),
    forbid(
      'pure-cli-sees-no-platform',
      { path: '^cli/(config|packaging/(plan|binary/))' },
      { path: '^runtime/platform/' },
      'Pure parts of the CLI get what they need from their callers.',
    ),
    forbid(
      'tokenizer-conversion-is-pure',
      { path: '^cli/packaging/tokenizer/' },
      { pathNot: `^cli/packaging/tokenizer/|^runtime/(contract|core)/|${PURE_PACKAGES}` },
      'Files are read by packaging/model; what a tokenizer.json is made of is computed without Node.',
    ),
    forbid(
      'contract-is-pure',
      { path: '^runtime/contract/' },
      { pathNot: `^runtime/contract/|${PURE_PACKAGES}` },
      'Schemas, tables and pure codecs.',
    ),
    forbid(
      'core-is-pure',
      { path: '^runtime/core/' },
      { pathNot: `^runtime/(contract|core|gen)/|${PURE_PACKAGES}` },
      'No Node, no network, no IO.',
    ),
    forbid(
      'pure-folders-are-pure',
      { path: PURE_FOLDERS },
      { pathNot: `^runtime/(contract|core|gen|transform)/|${PURE_FOLDERS}|${PURE_PACKAGES}` },
      'What one target computes stays testable without Node, as in core.',
    ),
    forbid(
      'transform-is-pure',
      { path: '^runtime/transform/' },
      { pathNot: '^runtime/(contract|core|transform)/|^node_modules/wasmoon/' },
      'Lua in WebAssembly: the builder and the executable both run it.',
    ),
    forbid(
      'gen-is-generated',
      { path: '^runtime/gen/' },
      { pathNot: '^runtime/gen/|^node_modules/@bufbuild/protobuf/' },
      'Protobuf output only.',
    ),
    forbid(
      'platform-below-serve',
      { path: '^runtime/platform/' },
      { path: '^runtime/(serve|targets)/' },
      'platform <- serve <- targets.',
    ),
    forbid(
      'serve-below-targets',
      { path: '^runtime/serve/' },
      { path: '^runtime/targets/' },
      'serve <- targets.',
    ),
    forbid(
      'only-the-policy-lets-through',
      { path: '^runtime/', pathNot: '^runtime/targets/gateway/requests/policy/' },
      { path: '^runtime/targets/gateway/requests/policy/pass\\.ts$' },
      'What users write reaches a provider only through guardrails, masking and the prompt log.',
    ),
    forbid(
      'targets-are-islands',
      { path: '^runtime/targets/([^/]+)/' },
      { path: '^runtime/targets/', pathNot: '^runtime/targets/$1/' },
      'Targets share runtime/serve, never each other.',
    ),
    forbid(
      'config-below-packaging',
      { path: '^cli/config/' },
      { path: '^cli/(packaging|services|commands)/' },
      'config <- packaging <- services <- commands.',
    ),
    forbid(
      'packaging-below-services',
      { path: '^cli/packaging/' },
      { path: '^cli/(services|commands)/' },
      'config <- packaging <- services <- commands.',
    ),
    forbid(
      'services-below-commands',
      { path: '^cli/services/' },
      { path: '^cli/commands/' },
      'A service does not know of flags.',
    ),
    forbid(
      'adapters-know-nothing',
      { path: '^cli/adapters/' },
      { path: '^cli/', pathNot: '^cli/adapters/' },
      'One outside tool per file.',
    ),
    forbid(
      'commands-are-thin',
      { path: '^cli/commands/' },
      { path: `^cli/(adapters|packaging)/|${NODE}` },
      'A command parses flags, calls one service and prints.',
    ),
    forbid(
      'plan-is-pure',
      { path: '^cli/packaging/(plan|binary/)' },
      { path: NODE },
      'Deciding what to build does no IO.',
    ),
    forbid(
      'nothing-imports-tests',
      { pathNot: '^test/' },
      { path: '^(test|fixtures|templates)/' },
      'Shipped folders hold shipped code.',
    ),
    forbid(
      'nothing-imports-pages',
      { path: '^(cli|runtime)/', pathNot: '/browser/' },
      { path: '/browser/' },
      'Browsers run the files of pages. Programs only serve them.',
    ),
    ...layersPointDown,
  ],
  options: {
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { prepareRoot, ROOTS } from '../roots/roots.ts';
import { composeScript } from './compose.ts';
import { type Container, startScript, stopScript } from './container.ts';
import { bootScript } from './units.ts';
import { DEPLOY } from './templates.ts';
import {
  actionValidator,
  checkJsonSchema,
  dockerLint,
  helm,
  kubeconform,
  KUBERNETES,
  kubernetesSchemas,
  rayClusterSchema,
} from './tools.ts';

/** A check of files with a tool. It succeeds if it does not throw; its result is a short text. */
export interface DeployCheck {
  readonly tool: string;
  readonly files: string;
  readonly run: (programs: string, scratch: string) => Promise<string>;
}

const file = (path: string): string => join(DEPLOY, path);
const NAMES = ['encoder', 'gateway', 'mcp-manager'] as const;
const UNITS = ['encoder@.service', 'gateway.service', 'mcp-manager.service'];
const SECRETS = {
  ENCODER_API_KEY: 'e'.repeat(32),
  POSTGRES_PASSWORD: 'p'.repeat(32),
  GATEWAY_MASTER_KEY: 'm'.repeat(40),
};

const CHART = file('helm/gateway');
const VALUES: readonly (readonly string[])[] = [
  ['--set', 'secret.existingSecret=gateway'],
  ['-f', join(CHART, 'ci/all-values.yaml')],
  [
    '--set',
    `secret.masterKey=${'m'.repeat(32)},secret.databaseUrl=postgres://a:b@c/d,secret.extra.OPENAI_API_KEY=x,preStopSeconds=0,serviceAccount.create=false,podDisruptionBudget.enabled=false`,
  ],
];
const REFUSED = [
  '',
  'secret.masterKey=short',
  'secret.existingSecret=x,config.master_key=a',
  'secret.existingSecret=x,unknown=1',
];

const CONTAINERS: readonly Container[] = (['slim', 'distroless'] as const).flatMap((stage) => [
  { name: 'encoder', stage, env: {}, port: 8080 },
  { name: 'gateway', stage, env: { GATEWAY_MASTER_KEY: SECRETS.GATEWAY_MASTER_KEY }, port: 8000 },
  {
    name: 'mcp-manager',
    stage,
    env: { ENCODER_API_KEY: SECRETS.ENCODER_API_KEY },
    files: { '/etc/mcp-manager/mcpd.toml': file('compose/mcpd.toml') },
    before: [['keys', 'create', '--name', 'admin', '--admin']],
    port: 8090,
  },
]);

export const DEPLOY_CHECKS: readonly DeployCheck[] = [
  ...NAMES.map((name) => ({
    tool: "BuildKit's parser and linter",
    files: `docker/${name}.Dockerfile`,
    run: async () =>
      said(await execa(await dockerLint(), [file(`docker/${name}.Dockerfile`)]), 'no findings'),
  })),
  ...CONTAINERS.map((container) => ({
    tool: 'read-only overlay, uid 65532',
    files: `docker/${container.name}.Dockerfile (${container.stage})`,
    run: async (programs: string, scratch: string) => {
      const script = startScript(container, { context: programs, work: scratch, bases: await bases() });
      return await inNetwork(`${script}\n${stopScript(container.name)}`);
    },
  })),
  {
    tool: "Docker Compose's loader",
    files: 'compose/compose.yml',
    run: async () =>
      said(await execa(await dockerLint(), [file('compose/compose.yml')], { env: SECRETS }), 'valid'),
  },
  {
    tool: 'processes of compose.yml',
    files: 'compose/',
    run: async (programs, scratch) =>
      await inNetwork(composeScript({ context: programs, work: scratch, bases: await bases() }, SECRETS)),
  },
  {
    tool: 'helm lint --strict',
    files: 'helm/gateway',
    run: async () => {
      for (const values of VALUES)
        await execa(await helm(), ['lint', '--strict', '--kube-version', KUBERNETES, CHART, ...values]);
      return `${VALUES.length} sets of values`;
    },
  },
  {
    tool: 'helm template, kubeconform',
    files: 'helm/gateway',
    run: async () => {
      const results: string[] = [];
      for (const values of VALUES) {
        const rendered = await execa(await helm(), [
          'template',
          'r',
          CHART,
          '--kube-version',
          KUBERNETES,
          ...values,
        ]);
        results.push(await conform(rendered.stdout));
      }
      return results.join('; ');
    },
  },
  {
    tool: 'helm template',
    files: 'helm/gateway, invalid values',
    run: async () => {
      for (const values of REFUSED) {
        const args = [
          'template',
          'r',
          CHART,
          '--kube-version',
          KUBERNETES,
          ...(values ? ['--set', values] : []),
        ];
        const { exitCode } = await execa(await helm(), args, { reject: false });
        if (exitCode === 0) throw new Error(`accepted: ${values}`);
      }
      return `${REFUSED.length} refused`;
    },
  },
  {
    tool: 'kubeconform',
    files: 'kubernetes/encoder.yml',
    run: async () => await conform('', [file('kubernetes/encoder.yml')]),
  },
  {
    tool: 'kubeconform, with the definition of KubeRay',
    files: 'kubernetes/ray.yml',
    run: async () => await conform('', [file('kubernetes/ray.yml')]),
  },
  ...UNITS.map((unit) => ({
    tool: 'systemd-analyze security',
    files: `systemd/${unit}`,
    run: async () => {
      const args = ['security', '--offline=true', '--threshold=20', file(`systemd/${unit}`)];
      const { stdout } = await execa('systemd-analyze', args, { env: { LC_ALL: 'C' } });
      return /exposure level for .*: ([\d.]+ \w+)/.exec(stdout)?.[1] ?? stdout;
    },
  })),
  {
    tool: 'systemd in a container',
    files: 'systemd/',
    run: async (programs, scratch) => await bootScript(programs, scratch),
  },
  {
    tool: 'action-validator',
    files: 'github-action/action.yml',
    run: async () => said(await execa(await actionValidator(), [file('github-action/action.yml')]), 'valid'),
  },
  {
    tool: 'check-jsonschema',
    files: 'github-action/action.yml',
    run: async () => await matchesSchema('vendor.github-actions', [file('github-action/action.yml')]),
  },
  {
    tool: 'check-jsonschema',
    files: 'gitlab-component/template.yml',
    run: async (_programs, scratch) => {
      const documents = (await readFile(file('gitlab-component/template.yml'), 'utf8')).split(/^---$/m);
      const paths = documents.map((_, at) => join(scratch, `gitlab-${at}.yml`));
      for (const [at, path] of paths.entries()) await writeFile(path, documents[at] ?? '');
      return await matchesSchema('vendor.gitlab-ci', paths);
    },
  },
];

const matchesSchema = async (schema: string, paths: readonly string[]): Promise<string> =>
  said(await execa(await checkJsonSchema(), ['--builtin-schema', schema, ...paths]), 'valid');

async function bases(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [stage, name] of [
    ['slim', 'minbase-bookworm'],
    ['distroless', 'libraries-bookworm'],
  ] as const) {
    const root = ROOTS.find((one) => one.name === name);
    const prepared = root === undefined ? { missing: name } : await prepareRoot(root);
    if ('missing' in prepared) throw new Error(`Missing: ${prepared.missing}`);
    found[stage] = prepared.path;
  }
  return found;
}

/** Runs a script in separate network and mount namespaces, so that it can use the ports and paths of the templates. */
async function inNetwork(script: string): Promise<string> {
  const whole = `set -e\nip link set lo up\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`;
  const { stdout } = await execa('unshare', ['-mnpf', '--mount-proc', '--kill-child', 'bash', '-c', whole], {
    timeout: 120_000,
  });
  return stdout.trim().replaceAll('\n', ', ');
}

async function conform(input: string, files: readonly string[] = []): Promise<string> {
  const folders = [await kubernetesSchemas(), await rayClusterSchema()];
  const schemas = folders.flatMap((folder) => [
    '-schema-location',
    join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json'),
  ]);
  // A ServiceMonitor is a resource of the Prometheus operator.
  const args = ['-strict', '-summary', '-skip', 'ServiceMonitor', ...schemas, ...files];
  const { stdout } = await execa(await kubeconform(), args, { input });
  return /Valid: \d+, Invalid: \d+/.exec(stdout)?.[0] ?? stdout;
}

const said = ({ stdout, stderr }: { stdout: string; stderr: string }, ok: string): string =>
  `${stdout}${stderr}`.trim() || ok;

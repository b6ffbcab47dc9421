import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Build } from '#cli/commands/build.ts';
import { ValidateCommand } from '#cli/commands/validate.ts';
import { parseDuration } from '#core/time/duration.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { Option } from '#serve/cli/command.ts';
import { HEALTH_PATHS } from '#serve/http/health.ts';
import { serveModelCommand as encoderServe } from '#encoder/commands/serve.ts';
import { createKeyCommand as gatewayKey } from '#gateway/commands/keys.ts';
import { serveCommand as gatewayServe } from '#gateway/commands/serve.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { createClientKeyCommand as managerKey } from '#manager/commands/keys/create.ts';
import { readConfigFile } from '#manager/config/config-file.ts';
import { daemonCommand } from '#manager/commands/daemon.ts';
import { managerProgram } from '#manager/program.ts';
import { encoderProgram } from '#encoder/program.ts';
import { problems } from '../runtime/targets/gateway/config/read.ts';
import { readTemplate, readTemplates } from './templates.ts';

const templates = readTemplates();
const isYaml = (path: string): boolean => /\.ya?ml$/.test(path) && !path.includes('gateway/templates/');

type Options = Readonly<Record<string, Option>>;
const encoderOptions = encoderServe('').options;
const gatewayOptions = gatewayServe.options;
const managerOptions = daemonCommand.options;

/** Program variables, without older names. */
const variablesOf = (options: Options): string[] => Object.values(options).flatMap(({ env }) => env ?? []);
const buildVariables = Object.values(Build.flags).flatMap(({ env }) => env ?? []);
const KNOWN = new Set([
  ...[encoderOptions, gatewayOptions, managerOptions].flatMap(variablesOf),
  ...buildVariables,
]);

test('templates exist for every deployment method', () => {
  const folders = new Set(templates.map(({ path }) => path.split('/')[0]));
  expect(folders).toEqual(
    new Set(['compose', 'docker', 'github-action', 'gitlab-component', 'helm', 'kubernetes', 'systemd']),
  );
});

test.each(templates.filter(({ path }) => isYaml(path)))('$path is valid YAML', ({ text }) => {
  for (const document of parseAllDocuments(text, { merge: true })) {
    if (!('errors' in document)) throw new Error('The file is empty.');
    expect([...document.errors, ...document.warnings]).toEqual([]);
    expect(document.toJS()).toBeTypeOf('object');
  }
});

test.each(templates)('$path uses only variables that the programs support', ({ text }) => {
  const names = text.match(/\b(?:ENCODERFILE|MCP_MANAGER|GATEWAY)_[A-Z_]+\b/g) ?? [];
  expect(names.filter((name) => !KNOWN.has(name))).toEqual([]);
});

test('the templates use only existing flags', () => {
  const action = readTemplate('github-action/action.yml');
  const flagsIn = (text: string): string[] =>
    [...text.matchAll(/[ (]--([a-z][\w-]*)/g)].map(([, name = '']) => name);
  const [, build = ''] = /(source=[^]*)encoderfile validate/.exec(action) ?? [];
  expect(flagsIn(build)).toHaveLength(3);
  expect(Object.keys(Build.flags)).toEqual(expect.arrayContaining(flagsIn(build)));
  expect(Object.keys(ValidateCommand.flags)).toContain('config');
  const lines = templates.flatMap(({ text }) => text.match(/keys create.*/g) ?? []);
  expect(lines.length).toBeGreaterThan(1);
  const known = [...Object.keys(gatewayKey.options), ...Object.keys(managerKey.options)];
  for (const line of lines) expect(known).toEqual(expect.arrayContaining(flagsIn(line)));
});

const PROGRAMS = [
  {
    name: 'encoder',
    program: encoderProgram('', 'encoder'),
    ports: portsOf(encoderOptions, 'http-port', 'grpc-port'),
  },
  { name: 'gateway', program: gatewayProgram, ports: portsOf(gatewayOptions, 'port') },
  { name: 'mcp-manager', program: managerProgram, ports: portsOf(managerOptions, 'port') },
];

test.each(PROGRAMS)('$name images have the right command, ports and health route', (row) => {
  const text = readTemplate(`docker/${row.name}.Dockerfile`);
  const stages = text.split(/^FROM /m).slice(1);
  expect(stages.map((stage) => / AS (\w+)/.exec(stage)?.[1])).toEqual(['slim', 'distroless']);
  for (const stage of stages) {
    expect(stage).toContain('\nUSER 65532:65532\n');
    expect(/^EXPOSE (.*)$/m.exec(stage)?.[1]?.split(' ')).toEqual(row.ports);
    expect(Object.keys(row.program.commands)).toContain(/^CMD \["(.*)"\]$/m.exec(stage)?.[1]);
  }
  const [, port, path = ''] = /:-(\d+)\}.*GET (\S+) /.exec(text) ?? [];
  expect(port).toBe(row.ports[0]);
  expect(HEALTH_PATHS).toContain(path);
});

function portsOf(options: Options, ...names: string[]): string[] {
  return names.map((name) => options[name]?.fallback ?? options[name]?.defaultText ?? '');
}

test('ports and health routes in Kubernetes and Compose match the programs', () => {
  const expected = new Set(PROGRAMS.flatMap(({ ports }) => ports));
  for (const { text } of templates) {
    for (const [, port = ''] of text.matchAll(/containerPort: (\d+)/g)) expect(expected).toContain(port);
    for (const [, route = ''] of text.matchAll(/path"?:? "?(\/\w+z)\b/g))
      expect(HEALTH_PATHS).toContain(route);
  }
});

test.each([
  ['compose/compose.yml', /SHUTDOWN_TIMEOUT: (\w+)[^]*?stop_grace_period: (\w+)/g],
  ['kubernetes/encoder.yml', /terminationGracePeriodSeconds: (\w+)[^]*?SHUTDOWN_TIMEOUT, value: (\w+)/g],
  ['kubernetes/ray.yml', /terminationGracePeriodSeconds: (\w+)[^]*?SHUTDOWN_TIMEOUT, value: (\w+)/g],
  ['systemd/gateway.service', /SHUTDOWN_TIMEOUT=(\w+)[^]*?TimeoutStopSec=(\w+)/g],
  ['systemd/mcp-manager.service', /SHUTDOWN_TIMEOUT=(\w+)[^]*?TimeoutStopSec=(\w+)/g],
  ['systemd/encoder@.service', /SHUTDOWN_TIMEOUT=(\w+)[^]*?TimeoutStopSec=(\w+)/g],
])("%s allows more time to stop than the program's shutdown timeout", (path, pattern) => {
  const found = [...readTemplate(path).matchAll(pattern)];
  expect(found.length).toBeGreaterThan(0);
  for (const [, ...times] of found) {
    const [shorter = 0, longer = 0] = times.map((time) => parseDuration(time) ?? 0).sort((a, b) => a - b);
    expect(longer - shorter).toBeGreaterThanOrEqual(10_000);
  }
});

test('the configurations of gateway and mcp-manager are valid', async () => {
  const env = { ENCODER_API_KEY: 'k'.repeat(20) };
  expect(await problems(readTemplate('compose/gateway.yml'), { env })).toEqual([]);
  for (const path of ['helm/gateway/values.yaml', 'helm/gateway/ci/all-values.yaml']) {
    const values = documentsIn(path)[0];
    if (!isObject(values) || !isObject(values['config'])) throw new Error(`${path} has no config.`);
    expect(await problems(values['config'], { env })).toEqual([]);
  }
  const map = documentsIn('kubernetes/ray.yml').find((one) => memberOf(one, 'kind') === 'ConfigMap');
  const ray = String(memberOf(memberOf(map, 'data'), 'gateway.yml'));
  const missing = expect.stringContaining('encoders.sentiment.path: /models/sentiment.encoder');
  expect(await problems(ray, { env: { RAY_AUTH_TOKEN: 't' } })).toEqual([missing]);
  const path = 'compose/mcpd.toml';
  expect(readConfigFile({ path, text: readTemplate(path) })).toMatchObject({
    problems: [],
    names: ['sentiment'],
  });
});

test("the chart's schema accepts its default values and rejects others", () => {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(
    JSON.parse(readTemplate('helm/gateway/values.schema.json')),
  );
  for (const path of ['values.yaml', 'ci/all-values.yaml'])
    expect([validate(documentsIn(`helm/gateway/${path}`)[0]), validate.errors]).toEqual([true, null]);
  expect(validate({ config: { master_key: 'x' } })).toBe(false);
  expect(validate({ replicas: 2 })).toBe(false);
});

test.each(templates)('$path contains no secret', ({ text }) => {
  const settings = [...text.matchAll(/\b(\w+?)(?:=|: +|, value: )(\S.*)?$/gm)];
  const secrets = settings.filter(([, name = '', value = '']) => SECRET.test(name) && isLiteral(value));
  expect(secrets.map(([line]) => line)).toEqual([]);
});

const SECRET = /(?:API_KEY|MASTER_KEY|masterKey|PASSWORD|DATABASE_URL|databaseUrl)$/;

/** Whether a value is text, and not empty, a variable, a structure or a Helm expression. */
const isLiteral = (value: string): boolean => !/^(?:""|postgres:[^$]*\$\{.*|"?\$[{(].*|[{[].*)?$/.test(value);

const documentsIn = (path: string): unknown[] =>
  parseAllDocuments(readTemplate(path), { merge: true }).map((document) =>
    'toJS' in document ? document.toJS() : undefined,
  );

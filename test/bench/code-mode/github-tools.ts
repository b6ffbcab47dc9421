import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PATHS } from '../setup/paths.ts';

// GitHub's published OpenAPI document, as tools: one per operation, as generators of MCP servers write them.
const PACKAGE = '@octokit/openapi@23.0.2';
const INTEGRITY = 'pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==';
const DOCUMENT = 'package/generated/api.github.com.json';

export interface GithubTool {
  /** The server that has the tool. */
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

/** The tools of the task. They are part of every selection. */
const NEEDED: ReadonlySet<string> = new Set([
  'repos_list_for_org',
  'issues_list_for_repo',
  'users_get_by_username',
]);

const SERVERS: Readonly<Record<string, readonly string[]>> = {
  repos: ['repos', 'git', 'dependency-graph', 'licenses', 'gitignore', 'markdown'],
  issues: ['issues', 'pulls', 'search', 'reactions', 'projects', 'checks'],
  people: ['users', 'orgs', 'teams', 'activity', 'gists', 'interactions', 'enterprise-teams'],
  actions: ['actions', 'packages', 'codespaces', 'migrations', 'apps'],
};
const OTHER_SERVER = 'security';

/** Returns this number of tools, taken evenly from all parts of the document. */
export async function githubTools(count: number): Promise<readonly GithubTool[]> {
  const { paths, components } = JSON.parse(await document()) as OpenApi;
  const byTag = new Map<string, GithubTool[]>();
  for (const [, operations] of Object.entries(paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      const operation = operations[method];
      if (!operation) continue;
      const [tag = ''] = operation.tags ?? [];
      const tools = byTag.get(tag) ?? [];
      tools.push(toolOf(tag, operation, components));
      byTag.set(tag, tools);
    }
  }
  const all = [...byTag.values()];
  const needed = all.flat().filter(({ name }) => NEEDED.has(name));
  const others: GithubTool[] = [];
  for (let at = 0; others.length < 2000 && all.some((tools) => at < tools.length); at += 1) {
    for (const tools of all) {
      const tool = tools[at];
      if (tool && !NEEDED.has(tool.name)) others.push(tool);
    }
  }
  return [...needed, ...others].slice(0, count);
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: unknown }>> };
}
interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>>>
  >;
  readonly components: unknown;
}
interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: object;
}
interface BodySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

function toolOf(tag: string, operation: Operation, components: unknown): GithubTool {
  const { operationId, summary = '', description = '', parameters = [], requestBody } = operation;
  const given = parameters.map((one) => inlined(one, components, 0) as Parameter);
  const body = (inlined(requestBody?.content?.['application/json']?.schema, components, 0) ??
    {}) as BodySchema;
  const properties = {
    ...Object.fromEntries(
      given.map(({ name, schema, description: text }) => [name, { ...schema, description: text }]),
    ),
    ...body.properties,
  };
  const required = [
    ...given.filter((one) => one.required === true).map(({ name }) => name),
    ...(body.required ?? []),
  ];
  return {
    server: Object.entries(SERVERS).find(([, tags]) => tags.includes(tag))?.[0] ?? OTHER_SERVER,
    name: operationId.replaceAll(/[^A-Za-z\d]+/g, '_'),
    description: [summary, description.split('\n\n')[0]].filter(Boolean).join('. '),
    inputSchema: { type: 'object', properties, ...(required.length > 0 && { required }) },
  };
}

const MAX_DEPTH = 6;
const LEFT_OUT: ReadonlySet<string> = new Set(['example', 'examples', 'nullable', 'deprecated', 'readOnly']);

/** Returns a part of the document with its references replaced, without examples and extensions. */
function inlined(value: unknown, components: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, components, depth));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  const { $ref, ...members } = value as { readonly $ref?: string };
  if ($ref !== undefined) {
    let found: unknown = { components };
    for (const part of $ref.slice(2).split('/')) found = (found as Record<string, unknown>)[part];
    return inlined(found, components, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(members)
      .filter(([key]) => !LEFT_OUT.has(key) && !key.startsWith('x-'))
      .map(([key, member]) => [key, inlined(member, components, depth + 1)]),
  );
}

/** Downloads the document once. */
async function document(): Promise<string> {
  const folder = join(PATHS.work, 'github-openapi');
  const file = join(folder, DOCUMENT);
  if (existsSync(file)) return await readFile(file, 'utf8');
  await mkdir(folder, { recursive: true });
  const run = promisify(execFile);
  const { stdout } = await run('npm', ['pack', '--silent', PACKAGE], { cwd: folder });
  const archive = join(folder, stdout.trim());
  const hash = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (hash !== INTEGRITY) throw new Error(`${PACKAGE} has an unexpected hash: ${hash}`);
  await run('tar', ['-xzf', archive, DOCUMENT], { cwd: folder });
  await writeFile(archive, '');
  return await readFile(file, 'utf8');
}

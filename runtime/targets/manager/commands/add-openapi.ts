import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { nameAndValue } from '#serve/cli/values.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import type { TomlTable } from '../config/table-reader.ts';

/** Options of `add` for APIs. */
export const OPENAPI_OPTIONS = {
  openapi: { value: 'file or URL', help: 'OpenAPI document; the operations of the API become tools' },
  'base-url': { value: 'url', help: 'URL of the API, instead of the server in the document' },
  include: {
    value: 'filter',
    help: 'Operations to use: an ID, "tag:name", "GET /path/*" or "/path/*"; by default all',
    repeatable: true,
  },
  exclude: { value: 'filter', help: 'Operations to leave out', repeatable: true },
  credential: {
    value: 'scheme=value',
    help: "Credential for a security scheme of the document, stored in the secrets file; for basic: 'user:password'",
    repeatable: true,
  },
} as const;

/** Time to get and read a document. */
const TIMEOUT_MS = 60_000;

/** A server for an API, and what the user should know about it. */
interface AddedApi {
  readonly table: TomlTable;
  readonly notes: readonly string[];
}

/** Reads the OpenAPI document, so that a document without tools is rejected before it is added. */
export async function apiFromLine(
  server: string,
  invocation: Invocation,
  paths: ConfigPaths,
): Promise<AddedApi> {
  const given = invocation.value('openapi') ?? '';
  const [
    { documentPath, FILE_URL_RULE, isDocumentUrl },
    { maskUrl },
    { loadDocument },
    { readPlanInThread },
  ] = await Promise.all([
    import('../config/resolve-api.ts'),
    import('../config/mask-values.ts'),
    import('../upstream/api/fetch-document.ts'),
    import('../openapi/read-plan-in-thread.ts'),
  ]);
  const written = documentPath(given);
  if (written === undefined)
    throw new UsageError(
      `--openapi: ${JSON.stringify(given)} is not a file on this machine. ${FILE_URL_RULE}.`,
    );
  const isUrl = isDocumentUrl(written);
  if (isUrl && maskUrl(written) !== written)
    throw new UsageError(
      'The URL of the document contains a secret. Save the document to a file, and pass the file.',
    );
  const [include, exclude] = [invocation.values('include'), invocation.values('exclude')];
  const baseUrl = invocation.value('base-url');
  const document = isUrl ? written : resolve(written);
  const credentials = Object.fromEntries(
    invocation.values('credential').map((text) => nameAndValue(text, '--credential')),
  );
  const headers = Object.fromEntries(invocation.values('header').map((text) => nameAndValue(text)));
  const loaded = await loadDocument({
    document,
    headers: baseUrl === undefined ? headers : {},
    timeoutMs: TIMEOUT_MS,
  });
  const settings = {
    document,
    baseUrl,
    origins: [],
    variables: {},
    include: include.length > 0 ? include : ['*'],
    exclude,
    fixed: {},
    credentials,
    pathSlashes: [],
    refreshMs: 0,
  };
  const plan = await readPlanInThread({
    server,
    text: loaded?.text ?? '',
    settings,
    ownHeaders: Object.keys(headers),
  });
  const { planProblem } = await import('../openapi/plan-problem.ts');
  const problem = planProblem(plan, settings) ?? plan.problems[0];
  if (problem !== undefined) throw new UsageError(problem);
  const api = {
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(include.length > 0 ? { include } : {}),
    ...(exclude.length > 0 ? { exclude } : {}),
  };
  const { apiNotes } = await import('../openapi/plan-problem.ts');
  return {
    table: {
      openapi: isUrl ? written : pathFor(document, paths.config),
      ...(Object.keys(api).length > 0 ? { api } : {}),
    },
    notes: apiNotes(server, plan, settings),
  };
}

/** A file in the folder of the servers file is written relative to it, so that both can be moved. */
function pathFor(document: string, config: string): string {
  const path = relative(dirname(resolve(config)), document);
  return path.startsWith('..') || isAbsolute(path) ? document : path;
}

import { maskUrl } from './mask-values.ts';
import type { ResolveContext } from './resolve-context.ts';
import { type LaunchEntry, OAUTH_KEYS } from './server-entry.ts';
import type { OAuthClient, RemoteLaunch } from './spec.ts';
import { mergeRecords, refuseSecrets, type ServerSources } from './server-sources.ts';

type RemoteEntry = Extract<LaunchEntry, { readonly kind: 'remote' }>;

export function resolveRemote(
  launch: RemoteEntry,
  sources: ServerSources,
  context: ResolveContext,
): RemoteLaunch {
  const { entry, secrets, expandEntry, expandSecret } = sources;
  const label = `server ${JSON.stringify(entry.name)}`;
  refuseSecrets(['args', 'env', 'volumes'], sources, context);
  const isSecret = secrets.url !== undefined;
  const url = isSecret ? expandSecret.text('url', secrets.url) : expandEntry.text('url', launch.url);
  const problem = urlProblem(url, isSecret ? undefined : launch.url);
  if (problem && url !== '') {
    const report = isSecret ? context.reportSecrets : context.report;
    report([...(isSecret ? secrets : entry).path, 'url'], `${label}: url ${problem}.`);
  }
  redactUrl(entry.name, url, context);
  const headers = mergeRecords('headers', launch.headers, sources, context);
  for (const [name, value] of Object.entries(headers)) {
    const isValid = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7E\x80-\xFF]*$/.test(value);
    const isInSecrets = Object.hasOwn(secrets.headers, name);
    const report = isInSecrets ? context.reportSecrets : context.report;
    if (!isValid)
      report(
        [...(isInSecrets ? secrets : entry).path, 'headers', name],
        `${label}: invalid header ${JSON.stringify(name)}. Names consist of letters, digits and dashes, values of one line.`,
      );
  }
  const oauth = resolveOAuth(launch, sources, context);
  return { kind: 'remote', transport: launch.transport, url, headers, ...(oauth ? { oauth } : {}) };
}

/** Explains why a URL is invalid. `written` is the text in the servers file; a secret URL has none and is not shown. */
function urlProblem(text: string, written: string | undefined): string | undefined {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return undefined;
  const shown = written === undefined ? '' : `, not ${JSON.stringify(maskUrl(written))}`;
  return `must start with http:// or https:// and contain a host, e.g. "https://mcp.example/mcp"${shown}`;
}

/** Adds the password and the query parameters of a URL to the values that are redacted. */
function redactUrl(server: string, text: string, { redactions }: ResolveContext): void {
  const url = URL.parse(text);
  if (!url) return;
  for (const [name, value] of [['password', url.password] as const, ...url.searchParams]) {
    redactions.add(value, [name], server);
  }
}

function resolveOAuth(
  launch: RemoteEntry,
  { entry, secrets, expandEntry, expandSecret }: ServerSources,
  { report, redactions }: ResolveContext,
): OAuthClient | undefined {
  const written = { ...launch.oauth, ...secrets.oauth };
  if (Object.keys(written).length === 0) return undefined;
  const value = {
    ...expandEntry.record('oauth', { ...launch.oauth }),
    ...expandSecret.record('oauth', { ...secrets.oauth }),
  };
  for (const key of OAUTH_KEYS.slice(0, 2).filter((key) => !written[key]))
    report(
      [...entry.path, 'oauth'],
      `server ${JSON.stringify(entry.name)}: oauth requires ${key}. Set it here or in the secrets file.`,
    );
  redactions.add(value['client_secret'] ?? '', ['client_secret'], entry.name);
  const tokenUrl = value['token_url'];
  const problem =
    tokenUrl === undefined
      ? undefined
      : urlProblem(tokenUrl, secrets.oauth?.token_url === undefined ? launch.oauth?.token_url : undefined);
  if (problem)
    report([...entry.path, 'oauth'], `server ${JSON.stringify(entry.name)}: oauth: token_url ${problem}.`);
  return {
    clientId: value['client_id'] ?? '',
    clientSecret: value['client_secret'] ?? '',
    ...(value['scope'] === undefined ? {} : { scope: value['scope'] }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  };
}

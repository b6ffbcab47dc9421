import type { ResolveContext } from './resolve-context.ts';
import { resolveOAuth } from './resolve-oauth.ts';
import type { LaunchEntry } from './server-entry.ts';
import type { RemoteLaunch } from './spec.ts';
import { urlProblem } from './url-problem.ts';
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
  const oauth = resolveOAuth(launch.oauth, sources, context);
  const { transport } = launch;
  // A client must not replace a header that the configuration sets.
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const passHeaders = launch.passHeaders.filter((name) => !own.has(name));
  return {
    kind: 'remote',
    transport,
    url,
    headers,
    ...(passHeaders.length > 0 && { passHeaders }),
    ...(oauth && { oauth }),
  };
}

/** Adds the password and the query parameters of a URL to the values that are redacted. */
function redactUrl(server: string, text: string, { redactions }: ResolveContext): void {
  const url = URL.parse(text);
  if (!url) return;
  for (const [name, value] of [['password', url.password] as const, ...url.searchParams]) {
    redactions.add(value, [name], server);
  }
}

import { hideUrl } from './hide-values.ts';
import type { ResolveContext } from './resolve-context.ts';
import { type LaunchEntry, OAUTH_KEYS } from './server-entry.ts';
import type { OAuthClient, RemoteLaunch } from './spec.ts';
import { mergeRecords, refuseSecrets, type TwoSides } from './two-sides.ts';

type RemoteEntry = Extract<LaunchEntry, { readonly kind: 'remote' }>;

export function resolveRemote(launch: RemoteEntry, sides: TwoSides, context: ResolveContext): RemoteLaunch {
  const { entry, secrets, expandEntry, expandSecret } = sides;
  const label = `server ${JSON.stringify(entry.name)}`;
  refuseSecrets(['args', 'env', 'volumes'], sides, context);
  const isSecret = secrets.url !== undefined;
  const url = isSecret ? expandSecret.text('url', secrets.url) : expandEntry.text('url', launch.url);
  const problem = urlProblem(url, isSecret ? undefined : launch.url);
  if (problem && url !== '') {
    const report = isSecret ? context.reportSecrets : context.report;
    report([...(isSecret ? secrets : entry).path, 'url'], `${label}: the url ${problem}.`);
  }
  hideSecretsOf(entry.name, url, context);
  const headers = mergeRecords('headers', launch.headers, sides, context);
  for (const [name, value] of Object.entries(headers)) {
    const isRight = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7E\x80-\xFF]*$/.test(value);
    const report = Object.hasOwn(secrets.headers, name) ? context.reportSecrets : context.report;
    const place = Object.hasOwn(secrets.headers, name) ? secrets.path : entry.path;
    if (!isRight)
      report(
        [...place, 'headers', name],
        `${label}: the header ${JSON.stringify(name)} cannot be sent. Names are of letters, digits and dashes, and values are one line.`,
      );
  }
  const oauth = resolveOAuth(launch, sides, context);
  return { kind: 'remote', transport: launch.transport, url, headers, ...(oauth ? { oauth } : {}) };
}

/** `written` is what may be shown of it. */
function urlProblem(text: string, written: string | undefined): string | undefined {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return undefined;
  const shown = written === undefined ? '' : `; it is ${JSON.stringify(hideUrl(written))}`;
  return `must begin with http:// or https:// and name a host, as in "https://mcp.example/mcp"${shown}`;
}

/** Passwords and keys are put into URLs too. */
function hideSecretsOf(server: string, text: string, { redactions }: ResolveContext): void {
  const url = URL.parse(text);
  if (!url) return;
  for (const [name, value] of [['password', url.password] as const, ...url.searchParams]) {
    redactions.add(value, [name], server);
  }
}

function resolveOAuth(
  launch: RemoteEntry,
  { entry, secrets, expandEntry, expandSecret }: TwoSides,
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
      `server ${JSON.stringify(entry.name)}: oauth needs ${key}, here or in the secrets file.`,
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

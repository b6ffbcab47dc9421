import { isLoopbackHost } from '../../../serve/http/host-rules.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { OAuthEntry } from './server-entry.ts';
import type { ServerSources } from './server-sources.ts';
import type { OAuthSettings } from './spec.ts';
import { urlProblem } from './url-problem.ts';

const GRANTS = ['authorization_code', 'client_credentials'] as const;
/** Keys that only one grant uses. */
const ONLY_FOR = {
  token_url: 'client_credentials',
  client_metadata_url: 'authorization_code',
  redirect_uri: 'authorization_code',
} as const;

/** Resolves `[servers.oauth]` and the same table of the secrets file. A client with a secret gets tokens without a person. */
export function resolveOAuth(
  entered: OAuthEntry | undefined,
  { entry, secrets, expandEntry, expandSecret }: ServerSources,
  { report, redactions }: ResolveContext,
): OAuthSettings | undefined {
  const written = { ...entered, ...secrets.oauth };
  if (Object.keys(written).length === 0) return undefined;
  const value = {
    ...expandEntry.record('oauth', { ...entered }),
    ...expandSecret.record('oauth', { ...secrets.oauth }),
  };
  const complain = (message: string): void =>
    report([...entry.path, 'oauth'], `server ${JSON.stringify(entry.name)}: oauth${message}`);
  redactions.add(value['client_secret'] ?? '', ['client_secret'], entry.name);

  const grant = value['grant'] ?? (written.client_secret === undefined ? GRANTS[0] : GRANTS[1]);
  const isKnown = (text: string): text is (typeof GRANTS)[number] => GRANTS.some((name) => name === text);
  if (!isKnown(grant)) complain(`: grant must be ${GRANTS.join(' or ')}, not ${JSON.stringify(grant)}.`);
  const required = grant === 'client_credentials' ? (['client_id', 'client_secret'] as const) : [];
  const missing =
    written.client_secret !== undefined && grant === 'authorization_code' ? ['client_id' as const] : required;
  for (const key of missing.filter((key) => !written[key]))
    complain(` requires ${key}. Set it here or in the secrets file.`);
  for (const [key, only] of Object.entries(ONLY_FOR)) {
    if (value[key] !== undefined && grant !== only) complain(`: ${key} requires grant = "${only}".`);
  }
  for (const key of ['token_url', 'issuer', 'client_metadata_url'] as const) {
    const shown = secrets.oauth?.[key] === undefined ? entered?.[key] : undefined;
    const problem = value[key] === undefined ? undefined : urlProblem(value[key], shown);
    if (problem) complain(`: ${key} ${problem}.`);
  }
  const redirectUri = value['redirect_uri'];
  if (redirectUri !== undefined && !isLoopbackUrl(redirectUri)) {
    complain(`: redirect_uri must be a loopback URL with a port, e.g. "http://127.0.0.1:8976/callback".`);
  }
  const [clientId, clientSecret] = [value['client_id'], value['client_secret']];
  const common = { scope: value['scope'], issuer: value['issuer'] };
  if (grant === 'client_credentials') {
    const client = { clientId: clientId ?? '', clientSecret: clientSecret ?? '' };
    return defined<OAuthSettings>({ grant, ...client, ...common, tokenUrl: value['token_url'] });
  }
  const clientMetadataUrl = value['client_metadata_url'];
  return defined<OAuthSettings>({
    grant: 'authorization_code',
    clientId,
    clientSecret,
    ...common,
    clientMetadataUrl,
    redirectUri,
  });
}

function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && url.port !== '' && isLoopbackHost(url.hostname) && url.search === '';
}

const defined = <Settings extends object>(settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Settings;

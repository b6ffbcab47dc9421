import { clientKeyProblem } from './client-key.ts';
import { isLoopbackUrl } from './is-loopback-url.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { OAuthEntry, OAuthKey } from './oauth-entry.ts';
import type { ServerSources } from './server-sources.ts';
import type { ClientKey, OAuthSettings } from './spec.ts';
import { urlProblem } from './url-problem.ts';

const GRANTS = ['authorization_code', 'client_credentials'] as const;
const SIGN_INS = ['shared', 'per_user'] as const;
/** Ways for a client to authenticate, of which it has at most one. */
const CREDENTIALS = ['client_secret', 'private_key'] as const;
/** Keys that only one grant uses. */
const ONLY_FOR = {
  token_url: 'client_credentials',
  client_metadata_url: 'authorization_code',
  redirect_uri: 'authorization_code',
  sign_in: 'authorization_code',
} as const;

/** Resolves `[servers.oauth]` and the same table of the secrets file. A client with a secret or a key gets tokens without a person. */
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
  for (const key of CREDENTIALS) redactions.add(value[key] ?? '', [key], entry.name);

  const authenticates = CREDENTIALS.some((key) => written[key] !== undefined);
  const grant = value['grant'] ?? GRANTS[authenticates ? 1 : 0];
  const isKnown = (text: string): text is (typeof GRANTS)[number] => GRANTS.some((name) => name === text);
  if (!isKnown(grant)) complain(`: grant must be ${GRANTS.join(' or ')}, not ${JSON.stringify(grant)}.`);
  const required: OAuthKey[] = authenticates || grant === 'client_credentials' ? ['client_id'] : [];
  if (grant === 'client_credentials' && !authenticates) required.push('client_secret');
  for (const key of required.filter((key) => !written[key]))
    complain(` requires ${key}. Set it here or in the secrets file.`);
  if (CREDENTIALS.every((key) => written[key] !== undefined))
    complain(`: ${CREDENTIALS.join(' and ')} conflict with each other. Remove one of them.`);
  const privateKey = readPrivateKey(value, complain);
  const signIn = value['sign_in'] ?? SIGN_INS[0];
  if (!SIGN_INS.some((name) => name === signIn))
    complain(`: sign_in must be ${SIGN_INS.join(' or ')}, not ${JSON.stringify(signIn)}.`);
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
  const common = { scope: value['scope'], issuer: value['issuer'], privateKey };
  if (grant === 'client_credentials') {
    const client = { clientId: clientId ?? '', clientSecret };
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
    perUser: signIn === 'per_user' ? true : undefined,
  });
}

/** Reads the key of the client, which is in the text itself. */
function readPrivateKey(
  { private_key: key, private_key_id: id }: Partial<Record<string, string>>,
  complain: (message: string) => void,
): ClientKey | undefined {
  if (key === undefined) {
    if (id !== undefined) complain(': private_key_id requires private_key.');
    return undefined;
  }
  const problem = clientKeyProblem(key);
  // The text is a secret, so the message does not contain it.
  if (problem !== undefined) complain(`: private_key ${problem}.`);
  return defined<ClientKey>({ key, id });
}

const defined = <Settings extends object>(settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Settings;

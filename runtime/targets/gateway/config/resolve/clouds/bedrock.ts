import { join } from 'node:path';
import { homeOrAccountFolder } from '#platform/files/home-folder.ts';
import type { AwsKeySources } from '../../../providers/adapters/access/aws-keys.ts';
import { sendableKey } from '../sendable.ts';
import type { CloudEntry, ResolveCloud } from './cloud.ts';

const METADATA_URL = 'http://169.254.169.254';
const CONTAINER_URL = 'http://169.254.170.2';

export const resolveBedrock: ResolveCloud = (parts) => {
  const { context, path, entry, written, apiKey: ownKey } = parts;
  const { report, flagsAndEnv } = context;
  const { aws = {} } = entry;
  const region =
    aws.region ?? flagsAndEnv.variable('AWS_REGION') ?? flagsAndEnv.variable('AWS_DEFAULT_REGION');
  if (region === undefined) {
    report(path, 'type bedrock requires a region; set `aws.region`, e.g. us-east-1, or AWS_REGION', 'key');
    return undefined;
  }
  if (!/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(region)) {
    report([...path, 'aws', 'region'], `\`${region}\` is not a region; expected a name such as us-east-1`);
    return undefined;
  }
  const keys = keysOf(parts);
  if (keys === 'invalid') return undefined;
  if (ownKey !== undefined && keys) {
    report([...path, 'api_key'], 'conflicts with the keys of `aws`; keep one of them', 'key');
    return undefined;
  }
  const variable =
    keys || aws.profile !== undefined ? undefined : flagsAndEnv.variable('AWS_BEARER_TOKEN_BEDROCK');
  const apiKey = ownKey ?? sendableKey(context, path, variable, 'AWS_BEARER_TOKEN_BEDROCK');
  const domain = domainOf(region);
  const sources = apiKey === undefined ? sourcesOf(parts, keys, region) : undefined;
  return {
    baseUrl: written ?? `https://bedrock-runtime.${region}.${domain}`,
    apiKey,
    cloud: {
      kind: 'bedrock',
      region,
      controlUrl: written ?? `https://bedrock.${region}.${domain}`,
      keys: sources,
    },
    secrets: sources?.keys ? [sources.keys.secretAccessKey, sources.keys.sessionToken ?? ''] : [],
  };
};

type Variable = (name: string) => string | undefined;
type Keys = NonNullable<AwsKeySources['keys']>;

/** The AWS keys in the entry. */
function keysOf({ context, path, entry }: CloudEntry): Keys | 'invalid' | undefined {
  const {
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    session_token: sessionToken,
    profile,
  } = entry.aws ?? {};
  for (const secret of [secretAccessKey, sessionToken]) if (secret) context.secrets.add(secret, ['secret']);
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    if (profile === undefined) return { accessKeyId, secretAccessKey, sessionToken };
    context.report([...path, 'aws', 'profile'], 'conflicts with `access_key_id`; keep one of them', 'key');
    return 'invalid';
  }
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  const missing = accessKeyId === undefined ? 'access_key_id' : 'secret_access_key';
  context.report([...path, 'aws'], `requires \`${missing}\` as well`, 'key');
  return 'invalid';
}

function sourcesOf({ context, entry }: CloudEntry, keys: Keys | undefined, region: string): AwsKeySources {
  const variable: Variable = (name) => context.flagsAndEnv.variable(name);
  const profile = entry.aws?.profile ?? variable('AWS_PROFILE');
  const environment = environmentKeys(context);
  const fromEnvironment = keys ?? (entry.aws?.profile === undefined ? environment : undefined);
  const home = homeOrAccountFolder() ?? '/';
  const isLeftOut = /^true$/i.test(variable('AWS_EC2_METADATA_DISABLED') ?? '');
  return {
    keys: fromEnvironment,
    webIdentity: profile === undefined ? webIdentityOf(variable) : undefined,
    files: {
      paths: [
        variable('AWS_SHARED_CREDENTIALS_FILE') ?? join(home, '.aws', 'credentials'),
        variable('AWS_CONFIG_FILE') ?? join(home, '.aws', 'config'),
      ],
      profile: profile ?? 'default',
      isProfileSet: profile !== undefined,
      sso: {
        cacheFolder: join(home, '.aws', 'sso', 'cache'),
        portalUrl: variable('AWS_ENDPOINT_URL_SSO'),
      },
      environment,
    },
    service: {
      url: variable('AWS_ENDPOINT_URL_STS') ?? `https://sts.${region}.${domainOf(region)}`,
      region,
    },
    container: containerOf(variable),
    metadataUrl: isLeftOut ? undefined : (variable('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? METADATA_URL),
  };
}

function environmentKeys({ flagsAndEnv, secrets }: CloudEntry['context']): Keys | undefined {
  const accessKeyId = flagsAndEnv.variable('AWS_ACCESS_KEY_ID');
  const secretAccessKey = flagsAndEnv.variable('AWS_SECRET_ACCESS_KEY');
  const sessionToken = flagsAndEnv.variable('AWS_SESSION_TOKEN');
  for (const secret of [secretAccessKey, sessionToken]) if (secret) secrets.add(secret, ['secret']);
  return accessKeyId !== undefined && secretAccessKey !== undefined
    ? { accessKeyId, secretAccessKey, sessionToken }
    : undefined;
}

function webIdentityOf(variable: Variable): AwsKeySources['webIdentity'] {
  const [roleArn, tokenFile] = [variable('AWS_ROLE_ARN'), variable('AWS_WEB_IDENTITY_TOKEN_FILE')];
  if (roleArn === undefined || tokenFile === undefined) return undefined;
  return {
    roleArn,
    tokenFile,
    sessionName: variable('AWS_ROLE_SESSION_NAME') ?? 'gateway',
  };
}

const domainOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

function containerOf(variable: Variable): AwsKeySources['container'] {
  const relative = variable('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const url =
    relative === undefined ? variable('AWS_CONTAINER_CREDENTIALS_FULL_URI') : CONTAINER_URL + relative;
  if (url === undefined || !URL.canParse(url)) return undefined;
  return {
    url,
    token: variable('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
    tokenFile: variable('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
  };
}

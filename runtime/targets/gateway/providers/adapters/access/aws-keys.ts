import type { Clock } from '#platform/clock.ts';
import { accessRefused } from './access-refused.ts';
import { containerKeys, type ContainerSource, instanceKeys } from './aws-metadata.ts';
import { profileKeys, type SharedFiles } from './aws-profile-keys.ts';
import { type KeyService, type WebIdentity, webIdentityKeys } from './aws-sts.ts';
import type { Expiring } from './renewed.ts';
import type { AwsKeys } from './sign-v4.ts';

/** Where keys of Amazon are looked for. */
export interface AwsKeySources {
  /** Keys of the configuration or the environment, which apply alone. */
  readonly keys: AwsKeys | undefined;
  readonly webIdentity: WebIdentity | undefined;
  readonly files: SharedFiles;
  readonly service: KeyService;
  readonly container: ContainerSource | undefined;
  /** URL of the metadata of the machine; undefined if it must not be asked. */
  readonly metadataUrl: string | undefined;
}

/** Finds keys in the order of Amazon's own tools: configuration, environment, web identity, shared files, container, machine. */
export async function awsKeys(sources: AwsKeySources, clock: Clock): Promise<Expiring<AwsKeys>> {
  const { keys, webIdentity, service, container, metadataUrl } = sources;
  if (keys) return { value: keys, expiresAt: undefined };
  if (webIdentity) return await webIdentityKeys(webIdentity, service, clock);
  const shared = await profileKeys(sources, clock);
  if (shared) return shared;
  if (container) return await containerKeys(container, clock);
  if (metadataUrl === undefined) throw noKeys();
  try {
    return await instanceKeys(metadataUrl, clock);
  } catch (cause) {
    throw noKeys(cause);
  }
}

const noKeys = (cause?: unknown): Error =>
  accessRefused(
    'No keys for Amazon were found. Set `aws` of the provider, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile of ~/.aws/credentials, or AWS_BEARER_TOKEN_BEDROCK.',
    cause,
  );

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import { providerOfEntry } from '../../../cloud-provider.ts';
import { type FixtureProvider, startFixture } from '../../../fixture-provider.ts';

export const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
export const KEYS = { access_key_id: 'AKIDFIXTURE', secret_access_key: SECRET };

export interface BedrockStandIn {
  readonly fixture: FixtureProvider;
  /** A provider called with keys that the stand-in accepts. */
  readonly bedrock: Provider;
  readonly folder: string;
  /** Variables that exclude Amazon's configuration on this machine from the tests. */
  readonly nowhere: Readonly<Record<string, string>>;
  readonly entryOf: (aws?: object, more?: object) => object;
  /** The body of the last request. */
  readonly sent: () => Promise<Record<string, unknown>>;
}

/** A stand-in for Amazon Bedrock for the tests of a file. */
export async function startBedrock(): Promise<BedrockStandIn> {
  const fixture = await startFixture('bedrock');
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const nowhere = {
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const entryOf: BedrockStandIn['entryOf'] = (aws = KEYS, more = {}) => ({
    api_base: fixture.url,
    aws: { region: 'us-east-1', ...aws },
    ...more,
  });
  return {
    fixture,
    bedrock: await providerOfEntry('bedrock', entryOf(), { env: nowhere }),
    folder,
    nowhere,
    entryOf,
    sent: async () => JSON.parse((await fixture.last()).body) as Record<string, unknown>,
  };
}

import { expect, test } from 'vitest';
import { checkProvider } from '#gateway/commands/doctor/check-provider.ts';
import { openProviders } from '#gateway/commands/doctor/open-providers.ts';
import { instanceOfEntry } from '../../cloud-provider.ts';
import { startFixture } from '../../fixture-provider.ts';

const [azure, bedrock] = [await startFixture('azure'), await startFixture('bedrock')];
const NOWHERE = {
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
  AWS_CONFIG_FILE: '/nowhere',
  AWS_EC2_METADATA_DISABLED: 'true',
};
const aws = { region: 'us-east-1', access_key_id: 'AKIDFIXTURE', secret_access_key: 'wrong-secret' };
const entra = { tenant_id: 't', client_id: 'c', client_secret: 'wrong', authority: azure.url };

test.each([
  ['azure', { api_base: azure.url, api_key: 'right-key', deployments: { a: 'b' } }, 'reachable', undefined],
  [
    'azure',
    { api_base: azure.url, api_key: 'wrong-key-1' },
    'rejected the credentials (status 401): Access denied due to invalid subscription key or wrong API endpoint',
    'Correct its `api_key` or `entra`, or their variables.',
  ],
  [
    'azure',
    { api_base: azure.url, entra },
    `${new URL(azure.url).host} rejected the request for a token of Microsoft Entra (status 401): AADSTS7000215: Invalid client secret provided`,
    'Correct its `api_key` or `entra`, or their variables.',
  ],
  [
    'bedrock',
    { api_base: bedrock.url, aws },
    'rejected the credentials (status 403): The request signature we calculated does not match',
    'Correct its `api_key` or `aws`, or their variables.',
  ],
  [
    'bedrock',
    { api_base: bedrock.url, aws: { region: 'us-east-1' } },
    expect.stringContaining('No AWS credentials were found.'),
    'Correct its `api_key` or `aws`, or their variables.',
  ],
])('the doctor checks the credentials of %s', async (type, entry, message, remedy) => {
  const { opened } = openProviders([await instanceOfEntry(type, entry, NOWHERE)]);
  const [one] = opened;
  if (!one) throw new Error('not opened');
  const { finding } = await checkProvider(one);
  expect(finding).toMatchObject({ message, ...(remedy !== undefined && { wayOut: remedy }) });
  await one.provider.close();
});

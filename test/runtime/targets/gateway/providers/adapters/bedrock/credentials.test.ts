import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { instanceOfEntry, providerOfEntry } from '../../../cloud-provider.ts';
import { problems } from '../../../config/read.ts';
import { callOf, chatBody, failureOf } from '../../../test-provider.ts';
import { KEYS, SECRET, startBedrock } from './stand-in.ts';

const { fixture, folder, nowhere, entryOf } = await startBedrock();

describe('credentials', () => {
  const signer = async (aws: object, env: Readonly<Record<string, string>> = {}, more: object = {}) => {
    const provider = await providerOfEntry('bedrock', entryOf(aws, more), { env: { ...nowhere, ...env } });
    const answer = await provider.chat(callOf('chat', chatBody('good')));
    if (answer.kind === 'failed') return failureOf(answer);
    const { authorization = '' } = (await fixture.last()).headers;
    return /Credential=(\w+)|^Bearer .*/.exec(authorization)?.[1] ?? authorization;
  };

  test('credentials can come from the environment, shared files, a container or the machine', async () => {
    expect(await signer({}, { AWS_ACCESS_KEY_ID: 'AKIDFIXTURE', AWS_SECRET_ACCESS_KEY: SECRET })).toBe(
      'AKIDFIXTURE',
    );
    expect(await signer({}, { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-1' })).toBe('Bearer bedrock-key-1');
    expect(await signer({}, {}, { api_key: 'bedrock-key-2' })).toBe('Bearer bedrock-key-2');
    writeFileSync(
      join(folder, 'credentials'),
      `# keys\n[default]\naws_access_key_id = AKIDWRONG\naws_secret_access_key=x\n\n[team]\naws_access_key_id=AKIDFIXTURE\naws_secret_access_key = ${SECRET}\n`,
    );
    writeFileSync(join(folder, 'config'), '[profile process]\ncredential_process = keys\n');
    expect(await signer({ profile: 'team' })).toBe('AKIDFIXTURE');
    expect(await signer({}, { AWS_PROFILE: 'team' })).toBe('AKIDFIXTURE');
    const other = await signer({ profile: 'process' });
    expect(other).toMatchObject({
      kind: 'credentials',
      text: expect.stringContaining('`credential_process`'),
    });
    const nobody = await signer({ profile: 'nobody' });
    expect(nobody).toMatchObject({ text: expect.stringContaining('Profile `nobody` has no keys') });
    rmSync(join(folder, 'credentials'));
    const container = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${fixture.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token',
    };
    expect(await signer({}, container)).toBe('ASIAFIXTURE');
    const machine = { AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: fixture.url };
    expect(await signer({}, machine)).toBe('ASIAFIXTURE');
    expect((await fixture.last()).headers['x-amz-security-token']).toMatch(/^IQoJ/);
    expect(await signer({})).toMatchObject({
      kind: 'credentials',
      text: expect.stringContaining('No AWS credentials were found.'),
    });
  });

  test("credentials can come from a role with a pod's token", async () => {
    const token = join(folder, 'token');
    const pod = {
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/gateway',
      AWS_WEB_IDENTITY_TOKEN_FILE: token,
      AWS_ENDPOINT_URL_STS: fixture.url,
    };
    expect(await signer({}, pod)).toMatchObject({
      text: expect.stringContaining('Cannot read the web identity token file: ENOENT'),
    });
    writeFileSync(token, 'pod-token\n');
    expect(await signer({}, pod)).toBe('ASIAFIXTURE');
    writeFileSync(token, 'wrong');
    expect(await signer({}, pod)).toMatchObject({
      kind: 'credentials',
      text: expect.stringContaining("(status 400): Couldn't retrieve verification key"),
    });
  });

  test('credentials can come from profiles with roles, sign-ins and other sources', async () => {
    const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
    const token = join(folder, 'profile-token');
    writeFileSync(token, 'pod-token\n');
    writeFileSync(
      join(folder, 'credentials'),
      `[base]\naws_access_key_id=AKIDFIXTURE\naws_secret_access_key=${SECRET}\n[wrong]\naws_access_key_id=AKIDFIXTURE\naws_secret_access_key=other\n`,
    );
    const config = {
      'profile role': { role_arn: arn('gateway'), source_profile: 'base' },
      'profile chain': { role_arn: arn('locked'), external_id: 'ext-1', source_profile: 'role' },
      'profile locked': { role_arn: arn('locked'), source_profile: 'base' },
      'profile refused': { role_arn: arn('gateway'), source_profile: 'wrong' },
      'profile one': { role_arn: arn('gateway'), source_profile: 'two' },
      'profile two': { role_arn: arn('gateway'), source_profile: 'one' },
      'profile own': {
        role_arn: arn('gateway'),
        source_profile: 'own',
        aws_access_key_id: 'AKIDFIXTURE',
        aws_secret_access_key: SECRET,
      },
      'profile none': { role_arn: arn('gateway') },
      'profile device': { role_arn: arn('gateway'), source_profile: 'base', mfa_serial: 'arn:mfa' },
      'profile pod': { role_arn: arn('gateway'), web_identity_token_file: token },
      'profile machine': { role_arn: arn('gateway'), credential_source: 'Ec2InstanceMetadata' },
      'profile container': { role_arn: arn('gateway'), credential_source: 'EcsContainer' },
      'profile variables': { role_arn: arn('gateway'), credential_source: 'Environment' },
      'sso-session work': { sso_start_url: 'https://x.awsapps.com/start', sso_region: 'us-east-1' },
      'profile sso': { sso_session: 'work', sso_account_id: '123456789012', sso_role_name: 'Reader' },
      'profile old-sso': {
        sso_start_url: 'https://old.awsapps.com/start',
        sso_region: 'us-east-1',
        sso_account_id: '123456789012',
        sso_role_name: 'Reader',
      },
      'profile half-sso': { sso_session: 'work', sso_account_id: '1' },
    };
    const sections = Object.entries(config).map(
      ([title, keys]) =>
        `[${title}]\n${Object.entries(keys)
          .map((pair) => pair.join(' = '))
          .join('\n')}\n`,
    );
    writeFileSync(join(folder, 'config'), sections.join('\n'));
    vi.stubEnv('HOME', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const cache = join(folder, '.aws', 'sso', 'cache');
    mkdirSync(cache, { recursive: true });
    /** As written by `aws sso login`. */
    const signedIn = (session: string, expiresAt: string): void =>
      writeFileSync(
        join(cache, `${createHash('sha1').update(session).digest('hex')}.json`),
        JSON.stringify({ accessToken: 'sso-token', expiresAt, region: 'us-east-1' }),
      );
    signedIn('work', '2999-01-01T00:00:00Z');
    signedIn('https://old.awsapps.com/start', '2999-01-01T00:00:00UTC');
    const env = {
      AWS_ENDPOINT_URL_STS: fixture.url,
      AWS_ENDPOINT_URL_SSO: fixture.url,
      AWS_ACCESS_KEY_ID: 'AKIDFIXTURE',
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_EC2_METADATA_DISABLED: '',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: fixture.url,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${fixture.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token',
    };
    const by = async (profile: string) => await signer({ profile }, env);
    for (const profile of [
      'role',
      'chain',
      'own',
      'pod',
      'machine',
      'container',
      'variables',
      'sso',
      'old-sso',
    ])
      expect(await by(profile), profile).toBe('ASIAFIXTURE');
    signedIn('work', '2020-01-01T00:00:00Z');
    for (const [profile, reason] of [
      ['locked', 'not authorized to perform: sts:AssumeRole'],
      ['refused', 'The request signature we calculated does not match'],
      ['one', 'The profiles one → two → one refer to each other.'],
      ['none', 'requires either `source_profile` or `credential_source`'],
      ['device', '`mfa_serial`'],
      ['sso', 'The sign-in of profile `sso` has expired. Run `aws sso login --profile sso`.'],
      ['half-sso', 'Profile `half-sso` has no `sso_role_name`'],
    ] as const)
      expect(await by(profile), profile).toMatchObject({
        kind: 'credentials',
        text: expect.stringContaining(reason),
      });
  });

  test('credentials that an error message repeats are hidden', async () => {
    const machine = { AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: fixture.url };
    for (const [more, env] of [
      [{ api_key: 'bedrock-key-3' }, {}],
      [{ headers: { 'x-extra-secret': 'canary-in-a-header' } }, machine],
    ] as const) {
      const provider = await providerOfEntry('bedrock', entryOf({}, more), { env: { ...nowhere, ...env } });
      for (const model of ['secret', 'secret-400']) {
        const { error, text, detail } = failureOf(await provider.chat(callOf('chat', chatBody(model))));
        expect(`${error.message} ${text} ${detail}`).not.toMatch(/bedrock-key-3|canary|IQoJb3/);
      }
    }
  });

  test('an incorrect secret or clock causes a gateway error', async () => {
    expect(await signer({ ...KEYS, secret_access_key: 'wrong-secret-1' })).toMatchObject({
      kind: 'credentials',
    });
    const clock = { ...systemClock, now: () => systemClock.now() - 3_600_000 };
    const late = await providerOfEntry('bedrock', entryOf(), { env: nowhere, clock });
    expect(failureOf(await late.chat(callOf('chat', chatBody('good'))))).toMatchObject({
      kind: 'credentials',
      text: expect.stringContaining("This machine's clock differs from Amazon's; correct it."),
    });
  });
});

describe('configuration', () => {
  test("endpoints are derived from the region, and Amazon's prices apply", async () => {
    const instance = await instanceOfEntry('bedrock', {}, { ...nowhere, AWS_REGION: 'eu-central-1' });
    expect(instance).toMatchObject({
      baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
      listedAs: 'bedrock',
      local: false,
      cloud: { controlUrl: 'https://bedrock.eu-central-1.amazonaws.com', region: 'eu-central-1' },
    });
    const china = await instanceOfEntry('bedrock', { aws: { region: 'cn-north-1' } }, nowhere);
    expect(china.baseUrl).toBe('https://bedrock-runtime.cn-north-1.amazonaws.com.cn');
  });

  test.each([
    [{}, 'type bedrock requires a region; set `aws.region`, e.g. us-east-1, or AWS_REGION'],
    [{ aws: { region: 'Frankfurt' } }, '`Frankfurt` is not a region; expected a name such as us-east-1'],
    [{ aws: { region: 'us-east-1', access_key_id: 'A' } }, 'requires `secret_access_key` as well'],
    [
      { aws: { region: 'us-east-1', ...KEYS, profile: 'p' } },
      'conflicts with `access_key_id`; keep one of them',
    ],
    [
      { aws: { region: 'us-east-1', ...KEYS }, api_key: 'k-1' },
      'conflicts with the keys of `aws`; keep one of them',
    ],
    [{ aws: { region: 'us-east-1' }, deployments: { a: 'b' } }, 'requires type azure'],
  ])('rejects %j', async (entry, expected) => {
    const [problem, ...others] = await problems({ providers: { bedrock: entry } }, { env: nowhere });
    expect(problem).toContain(expected);
    expect([others, problem?.includes(SECRET)]).toEqual([[], false]);
  });
});

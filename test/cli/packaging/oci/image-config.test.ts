import { expect, it } from 'vitest';
import { type BaseConfig, imageConfig } from '#cli/packaging/oci/image-config.ts';
import { PLATFORMS } from '#contract/platforms.ts';

const [x64, arm64] = PLATFORMS;
if (!x64 || !arm64) throw new Error('no platforms');
const EMPTY: BaseConfig = { config: {}, diffIds: [], history: [] };
const input = {
  platform: x64,
  manifest: { name: 'org/model', version: '1.2.3', license: { id: 'apache-2.0', source: 'config' } },
  base: EMPTY,
  diffId: 'sha256:1',
  created: undefined,
} as const;

it('describes how to run the executable', () => {
  expect(imageConfig(input)).toEqual({
    architecture: 'amd64',
    os: 'linux',
    config: {
      User: '65532:65532',
      ExposedPorts: { '8080/tcp': {}, '50051/tcp': {} },
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/app'],
      Entrypoint: ['/app/model.encoder'],
      Cmd: ['serve'],
      WorkingDir: '/',
      Labels: {
        'org.opencontainers.image.title': 'org/model',
        'org.opencontainers.image.version': '1.2.3',
        'org.opencontainers.image.licenses': 'apache-2.0',
      },
      StopSignal: 'SIGTERM',
    },
    rootfs: { type: 'layers', diff_ids: ['sha256:1'] },
    history: [{ created_by: 'encoderfile build --format oci' }],
  });
});

it('keeps the settings of the base image', () => {
  const base: BaseConfig = {
    config: {
      User: 'app:app',
      Env: ['LANG=C.UTF-8', 'PATH=/opt/bin:/app:/bin'],
      Entrypoint: ['/bin/sh'],
      Cmd: ['-c', 'true'],
      WorkingDir: '/srv',
      Labels: { team: 'search', 'org.opencontainers.image.licenses': 'MIT' },
      ExposedPorts: { '9/tcp': {} },
      Volumes: { '/data': {} },
    },
    diffIds: ['sha256:0'],
    history: undefined,
  };
  const image = imageConfig({
    ...input,
    platform: arm64,
    manifest: { name: 'm', version: '1' },
    base,
    created: '2026-01-02T03:04:05Z',
  });
  expect(JSON.parse(JSON.stringify(image))).toEqual({
    created: '2026-01-02T03:04:05Z',
    architecture: 'arm64',
    os: 'linux',
    config: {
      User: 'app:app',
      Env: ['PATH=/opt/bin:/bin:/app', 'LANG=C.UTF-8'],
      Entrypoint: ['/app/model.encoder'],
      Cmd: ['serve'],
      WorkingDir: '/srv',
      Labels: {
        team: 'search',
        'org.opencontainers.image.title': 'm',
        'org.opencontainers.image.version': '1',
        'org.opencontainers.image.created': '2026-01-02T03:04:05Z',
      },
      ExposedPorts: { '9/tcp': {}, '8080/tcp': {}, '50051/tcp': {} },
      Volumes: { '/data': {} },
      StopSignal: 'SIGTERM',
    },
    rootfs: { type: 'layers', diff_ids: ['sha256:0', 'sha256:1'] },
  });
});

it.each(['', 'root', '0', '0:0', 'root:wheel', '00', undefined])('replaces the user %j', (User) => {
  const base = { ...EMPTY, config: { User } };
  expect(imageConfig({ ...input, base })['config']).toMatchObject({ User: '65532:65532' });
});

it.each(['nobody', '1000', '1000:0', 'rooted', '10'])('keeps the user %j', (User) => {
  const base = { ...EMPTY, config: { User } };
  expect(imageConfig({ ...input, base })['config']).toMatchObject({ User });
});

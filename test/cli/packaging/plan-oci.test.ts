import { expect, it } from 'vitest';
import type { BuildConfig } from '#cli/config/build-config.ts';
import { type BuildFlags, type BuildPlan, planBuild } from '#cli/packaging/plan.ts';

const HOST = { os: 'linux', cpu: 'x64' };
const CONFIG: BuildConfig = {
  file: 'encoderfile.yml',
  name: 'org/model',
  version: '1',
  license: undefined,
  device: undefined,
  modelType: 'embedding',
  inputs: {},
  keepsIntegers: true,
  distill: { form: 'none', dimensions: 256, minNeighbors: 0.3 },
  quantize: { form: 'none', calibration: undefined, minCosine: 0.995, minAgreement: 0.98 },
  model: { kind: 'folder', variant: undefined, folder: 'model' },
  outputPath: undefined,
  cacheDir: undefined,
  target: undefined,
  baseBinaryPath: undefined,
  transform: undefined,
  validateTransform: true,
  luaLibs: [],
  transformLimits: { instructions: 1, memory_mb: 1, seconds: 1 },
  build: true,
  output: undefined,
  maxLength: undefined,
  tokenizer: {},
  windows: undefined,
  typeFields: {},
};
const FLAGS: BuildFlags = { noBuild: false, noDownload: false, force: false, format: 'oci' };
const plan = (flags: Partial<BuildFlags>, config: Partial<BuildConfig> = {}, host = HOST): BuildPlan =>
  planBuild({ ...CONFIG, ...config }, { ...FLAGS, ...flags }, host);

it.each([
  [{}, {}, './org-model.oci'],
  [{ outputDir: 'out/' }, {}, 'out/org-model.oci'],
  [{ outputPath: 'x' }, {}, 'x'],
  [{ outputPath: 'x/' }, {}, 'x'],
  [{ outputPath: 'x.encoder' }, {}, 'x.encoder'],
  [{ outputPath: 'x.tar' }, { outputPath: 'y.encoder' }, 'x.tar'],
  [{}, { outputPath: 'out/y.encoder' }, 'out/y.oci'],
  [{}, { outputPath: 'y.tar' }, 'y.tar'],
  [{}, { outputPath: 'y.oci' }, 'y.oci'],
])('the flags %j and the config %j determine the image path', (flags, config, path) => {
  expect(plan(flags, config).output).toMatchObject({ kind: 'oci', path });
});

it('passes on --base-image, which allows images for other platforms', () => {
  const arm64 = { platform: 'linux-arm64', baseImage: 'base:tag' };
  expect(plan(arm64)).toMatchObject({ baseImage: 'base:tag', platform: { cpu: 'arm64' } });
  expect(plan(arm64, {}, { os: 'darwin', cpu: 'arm64' }).output.kind).toBe('oci');
});

it.each([
  [{ noBuild: true }, {}, /^--format oci conflicts with --no-build, /],
  [{}, { build: false }, /^--format oci conflicts with `build: false` in the config, /],
  [
    { platform: 'macos-arm64' },
    {},
    /^Cannot build an OCI image for macos-arm64: images contain Linux programs\./,
  ],
  [{ platform: 'linux-arm64' }, {}, /^An image for linux-arm64 needs .* Pass --base-image /],
  [
    { format: 'executable', baseImage: 'base' },
    {},
    /^--base-image is only used for images\. Add --format oci/,
  ],
] as const)('rejects the flags %j with the config %j', (flags, config, message) => {
  expect(() => plan(flags, config)).toThrow(message);
});

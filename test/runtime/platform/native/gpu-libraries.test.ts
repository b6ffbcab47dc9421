import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findGpuLibraries, onnxruntimeVersion } from '#platform/native/gpu-libraries.ts';
import { linkProviders } from '#platform/native/link-providers.ts';
import { preloadLibraries } from '#platform/native/preload.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const package_ = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
const BIN = join(package_, 'bin/napi-v6/linux/x64');
const ADDON = join(BIN, 'onnxruntime_binding.node');
const LIBRARY = join(BIN, 'libonnxruntime.so.1');
const LINUX = { platform: 'linux', arch: 'x64' } as const;
const VERSION = onnxruntimeVersion();
const CUDA = 'libonnxruntime_providers_cuda.so';
const SHARED = 'libonnxruntime_providers_shared.so';

/** A folder with libraries of this version that have the names of CUDA's. */
function librariesIn(...parts: string[]): string {
  const path = join(folder(), ...parts);
  mkdirSync(path, { recursive: true });
  symlinkSync(LIBRARY, join(path, CUDA));
  symlinkSync(ADDON, join(path, SHARED));
  return path;
}

test('libraries of the same version are found in the folder, or where pip installs them', () => {
  const direct = librariesIn('direct');
  const found = findGpuLibraries(direct, VERSION, LINUX);
  expect(found.providers).toEqual([join(direct, SHARED), join(direct, CUDA)]);
  expect(found.needed).toContain('libc.so.6');
  expect(found.folders).toEqual([direct]);
  const capi = librariesIn('pip', 'onnxruntime', 'capi');
  mkdirSync(join(folder(), 'pip/nvidia/cu13/lib'), { recursive: true });
  const cudnn = join(folder(), 'pip/nvidia/cudnn/lib/libcudnn.so.9');
  mkdirSync(dirname(cudnn), { recursive: true });
  writeFileSync(cudnn, '');
  writeFileSync(join(dirname(cudnn), 'libcudnn_ops.so.9'), '');
  const installed = findGpuLibraries(join(folder(), 'pip'), VERSION, LINUX);
  expect(installed.folders.toSorted()).toEqual([join(folder(), 'pip/nvidia/cu13/lib'), dirname(cudnn), capi]);
  expect(installed.optional).toEqual([cudnn]);
});

test('a folder without the libraries is rejected with the command that installs them', () => {
  const empty = join(folder(), 'empty');
  mkdirSync(empty);
  expect(() => findGpuLibraries(empty, '1.30.0', LINUX)).toThrow(
    `--gpu-libraries: ${empty} does not contain ${SHARED} and ${CUDA}. Install them with: pip install --target ${empty} "onnxruntime-gpu[cuda,cudnn]==1.30.0"`,
  );
});

test('libraries of another version, and files that are not libraries, are rejected', () => {
  const path = librariesIn('other');
  expect(() => findGpuLibraries(path, '1.31.1', LINUX)).toThrow(
    new RegExp(
      `${CUDA} belongs to ONNX Runtime .*${VERSION}.*, and this program contains 1\\.31\\.1\\. Install onnxruntime-gpu`,
    ),
  );
  rmSync(join(path, CUDA));
  copyFileSync(ADDON, join(path, CUDA));
  expect(() => findGpuLibraries(path, '9.9.9', LINUX)).toThrow('and this program contains 9.9.9');
  writeFileSync(join(path, CUDA), 'not a library');
  expect(() => findGpuLibraries(path, VERSION, LINUX)).toThrow(
    `--gpu-libraries: ${join(path, CUDA)} is not a library for Linux on x64. Install it again.`,
  );
});

test('other platforms are rejected', () => {
  for (const host of [
    { platform: 'linux', arch: 'arm64' },
    { platform: 'darwin', arch: 'arm64' },
  ] as const)
    expect(() => findGpuLibraries('/nowhere', VERSION, host)).toThrow(
      `--gpu-libraries requires Linux on x64, and this machine has ${host.platform} on ${host.arch}. Remove the flag.`,
    );
});

test.skipIf(process.platform === 'win32')('links are created once, and again if one is missing', () => {
  const providers = [join(librariesIn('links'), CUDA)];
  const roots = [join(folder(), 'cache')];
  const addon = linkProviders(ADDON, providers, roots);
  expect(basename(addon)).toBe(basename(ADDON));
  const links = dirname(addon);
  expect(readdirSync(links).toSorted()).toEqual(
    [...readdirSync(BIN).filter((name) => name.includes('onnxruntime')), CUDA].toSorted(),
  );
  expect(readlinkSync(join(links, CUDA))).toBe(realpathSync(LIBRARY));
  rmSync(join(links, CUDA));
  expect(linkProviders(ADDON, providers, roots)).toBe(addon);
  expect(readlinkSync(join(links, CUDA))).toBe(realpathSync(LIBRARY));
  // Nothing is left of the folders that were renamed.
  expect(readdirSync(dirname(links))).toEqual([basename(links)]);
});

test.skipIf(process.platform === 'win32')('a cache folder that cannot be used is named', () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  expect(() => linkProviders(ADDON, [], [file])).toThrow(
    /^--gpu-libraries: cannot write a folder with links to the libraries\. Set --cache-dir to a folder\. Tried:\n {2}\S+file: /,
  );
});

test.skipIf(process.platform !== 'linux')('missing libraries of CUDA and a missing driver are named', () => {
  preloadLibraries({ optional: [], needed: ['libc.so.6', 'libm.so.6'], folders: [folder()] });
  expect(() =>
    preloadLibraries({ optional: [], needed: ['libcublas.so.0', 'libc.so.6'], folders: [] }),
  ).toThrow(
    /^CUDA is incomplete \(libcublas\.so\.0: cannot open shared object file: .*\); install NVIDIA's packages/,
  );
  writeFileSync(join(folder(), 'libcuda.so.1'), 'not a library');
  expect(() => preloadLibraries({ optional: [], needed: ['libcuda.so.1'], folders: [folder()] })).toThrow(
    /^NVIDIA's driver was not found \(libcuda\.so\.1\)/,
  );
});

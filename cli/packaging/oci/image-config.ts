import type { Manifest } from '#contract/manifest.ts';
import type { Platform } from '#contract/platforms.ts';
import { ANNOTATION, type OciPlatform } from './oci-format.ts';

type Json = Readonly<Record<string, unknown>>;

/** The parts of a base image's configuration that the new image keeps. */
export interface BaseConfig {
  readonly config: Json;
  readonly diffIds: readonly string[];
  /** History of all layers; undefined if the base image has none. */
  readonly history: readonly unknown[] | undefined;
}

export interface ImageConfigInput {
  readonly platform: Platform;
  readonly manifest: Pick<Manifest, 'name' | 'version' | 'license'>;
  readonly base: BaseConfig;
  /** Digest of the uncompressed layer with the executable. */
  readonly diffId: string;
  /**
   * Creation time from `SOURCE_DATE_EPOCH`. If the variable is not set, the image has no creation
   * time, so that the same input always produces the same image.
   */
  readonly created: string | undefined;
}

/** The folder with the executable, and the path of the executable, in images. */
export const APP_FOLDER = 'app';
export const EXECUTABLE_PATH = `${APP_FOLDER}/model.encoder`;

/** The unprivileged user and group, with the same ids as in distroless images. */
export const USER_ID = 65532;
const USER = `${USER_ID}:${USER_ID}`;
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Builds an image's configuration by adding the executable to the base image's configuration. Pure. */
export function imageConfig({ platform, manifest, base, diffId, created }: ImageConfigInput): Json {
  const { config } = base;
  return {
    ...(created === undefined ? {} : { created }),
    ...ociPlatform(platform),
    config: {
      ...config,
      User: isRoot(config['User']) ? USER : config['User'],
      ExposedPorts: { ...objectIn(config['ExposedPorts']), '8080/tcp': {}, '50051/tcp': {} },
      Env: environment(config['Env']),
      Entrypoint: [`/${EXECUTABLE_PATH}`],
      Cmd: ['serve'],
      WorkingDir: config['WorkingDir'] ?? '/',
      Labels: { ...objectIn(config['Labels']), ...labels(manifest, created) },
      StopSignal: 'SIGTERM',
    },
    rootfs: { type: 'layers', diff_ids: [...base.diffIds, diffId] },
    ...(base.history === undefined ? {} : { history: [...base.history, historyEntry(created)] }),
  };
}

export const historyEntry = (created: string | undefined): Json => ({
  ...(created === undefined ? {} : { created }),
  created_by: 'encoderfile build --format oci',
});

export const ociPlatform = ({ cpu }: Platform): OciPlatform => ({
  architecture: { x64: 'amd64', arm64: 'arm64' }[cpu],
  os: 'linux',
});

/** The model's labels replace those of the base image, whose license does not describe the model. */
function labels({ name, version, license }: ImageConfigInput['manifest'], created: string | undefined): Json {
  return {
    [ANNOTATION.title]: name,
    [ANNOTATION.version]: version,
    [ANNOTATION.licenses]: license?.id,
    [ANNOTATION.created]: created,
  };
}

/**
 * The executable's folder is last in PATH, so that `exec` finds the program and no program of the
 * base image is hidden.
 */
function environment(of: unknown): string[] {
  const variables = (Array.isArray(of) ? of : []).filter((one) => typeof one === 'string');
  const path = variables.find((one) => one.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  const folders = (path === '' ? DEFAULT_PATH : path)
    .split(':')
    .filter((folder) => folder !== `/${APP_FOLDER}`);
  return [
    `PATH=${[...folders, `/${APP_FOLDER}`].join(':')}`,
    ...variables.filter((one) => !one.startsWith('PATH=')),
  ];
}

/**
 * Whether an image runs as root. The user is a name or a number, optionally followed by a group. An
 * image without a user runs as root.
 */
function isRoot(user: unknown): boolean {
  return typeof user !== 'string' || /^(root|0*)(:|$)/.test(user);
}

const objectIn = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { type Container, readContainer, requireSection } from '#contract/container/read.ts';
import type { SectionName } from '#contract/container/sections.ts';
import { AppError, inputError } from '#contract/errors.ts';
import type { Manifest, RuntimeInfo } from '#contract/manifest.ts';
import { isHost, PLATFORMS } from '#contract/platforms.ts';
import { parseManifest, parseRuntimeInfo } from '#core/model/manifest-json.ts';
import { withFileSource } from '#platform/file-source.ts';
import { requireIntactFile } from '#platform/verify-file.ts';
import type { Backend, WorkTools } from '../work.ts';
import type { BackendModel } from './backend.ts';
import type { BackendConnection } from './connect.ts';
import { requireFilesAllowed } from './encoder-file.ts';
import { encoderModel } from './encoder-model.ts';

interface InspectOptions {
  /** Whether the job runs on this machine, so that its executable must as well. */
  readonly runsHere: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads an executable's type and labels from its file without starting it: the machines that run it can have
 * another platform. Throws an AppError if it cannot be used. The returned model is not running, so its calls
 * fail.
 */
export async function inspectEncoderFile(
  { path }: Extract<Backend, { readonly kind: 'encoder-file' }>,
  tools: Pick<WorkTools, 'trusted'>,
  { runsHere, signal }: InspectOptions,
): Promise<BackendModel> {
  requireFilesAllowed(path, tools);
  const { manifest, runtime } = await readFacts(path);
  if (runsHere) await requireRunsHere(path, runtime);
  return await encoderModel(`The encoder \`${path}\``, connectionTo(path, manifest), signal);
}

interface Facts {
  readonly manifest: Manifest;
  readonly runtime: RuntimeInfo;
}

async function readFacts(path: string): Promise<Facts> {
  // Opening a pipe would block until another program writes to it.
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile() && !found.isDirectory()) throw inputError(`${path} is not a file.`);
  const { container, bytesOf } = await withFileSource(path, (source) => {
    const container = readContainer(source);
    const read = (name: SectionName): Uint8Array => {
      const { offset, length } = requireSection(source, container, name);
      return source.readAt(offset, length);
    };
    return { container, bytesOf: { manifest: read('manifest'), runtime: read('runtime') } };
  });
  await requireIntactFile(path, { sections: container.sections.filter(isSmall) });
  return { manifest: parseManifest(bytesOf.manifest), runtime: parseRuntimeInfo(bytesOf.runtime) };
}

/** Whether the executable verifies the section at each start. The other sections have most of the bytes. */
const isSmall = ({ name }: Container['sections'][number]): boolean =>
  name !== 'executable' && name !== 'weights';

async function requireRunsHere(path: string, { platform: triple }: RuntimeInfo): Promise<void> {
  const platform = PLATFORMS.find((one) => one.triple === triple);
  if (!platform || !isHost(platform, process)) {
    throw inputError(
      `${path} is for ${triple}, but jobs run on this machine (${process.platform}, ${process.arch}). Build it for this machine, or run jobs on a Ray cluster.`,
    );
  }
  await access(path, constants.X_OK).catch((error: unknown) => {
    throw inputError(`${path} is not executable. Change its permissions.`, error);
  });
}

/** Responds like an encoder to requests for its metadata. */
function connectionTo(path: string, { modelType, id2label }: Manifest): BackendConnection {
  return {
    request: ({ path: route }) =>
      route === '/model'
        ? Promise.resolve({ json: { model_type: modelType, id2label }, headers: {}, latencyMs: 0 })
        : Promise.reject(new AppError('InternalError', `${path} is not running.`)),
    close: () => Promise.resolve(),
  };
}

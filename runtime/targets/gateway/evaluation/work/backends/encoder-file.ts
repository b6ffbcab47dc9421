import { AppError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import { encoderAdapter } from '../../../providers/adapters/encoder/encoder-provider.ts';
import { superviseEncoder } from '../../../providers/adapters/encoder/supervised-upstream.ts';
import { WORK_LIMITS } from './address.ts';
import type { WorkTools } from '../work.ts';
import type { BackendModel, OpenBackend, OpenModelOptions } from './backend.ts';
import { connect } from './connect.ts';
import { encoderModel } from './encoder-model.ts';

/** An executable, at the path in the job or, on another machine, where the worker downloaded it to. */
export const openEncoderFile: OpenBackend<'encoder-file'> = async ({ path }, tools, options) => {
  requireFilesAllowed(path, tools);
  return await startEncoder({ name: path, path: tools.files?.get(path) ?? path }, tools, options);
};

/** Starts an executable for a job, and restarts it if it exits. `name` is its name in messages. */
export async function startEncoder(
  { name: given, path }: { readonly name: string; readonly path: string },
  tools: WorkTools,
  { pacing, signal }: OpenModelOptions,
): Promise<BackendModel> {
  // A worker can be killed without time to stop the executable, so the guard ends it.
  const guard = createOrphanGuard();
  const upstream = superviseEncoder({
    name: given,
    path,
    limits: WORK_LIMITS,
    ...pacing,
    onLine(line) {
      if (!isRoutine(line)) tools.log('info', line);
    },
    watch: guard.watch,
  });
  const name = `The encoder \`${given}\``;
  const connection = connect({ name, upstream, adapter: encoderAdapter, apiKey: undefined }, pacing);
  const close = async (): Promise<void> => {
    await connection.close();
    await guard.close();
  };
  try {
    return await encoderModel(name, { ...connection, close }, signal);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Pino's number for the level `info`. */
const INFO = 30;

/**
 * Whether a line of the executable's log concerns normal operation, such as a completed request. A job
 * produces many of these.
 */
function isRoutine(line: string): boolean {
  try {
    const level = memberOf(parseJsonText(line), 'level');
    return typeof level === 'number' && level <= INFO;
  } catch {
    return false;
  }
}

/** Throws a ForbiddenError if the job is not allowed to run files. */
export function requireFilesAllowed(path: string, { trusted }: Pick<WorkTools, 'trusted'>): void {
  if (trusted) return;
  throw new AppError(
    'ForbiddenError',
    `Starting \`${path}\` is not allowed. The gateway operator can allow files for jobs. Alternatively, use the URL of a running encoder.`,
    { reason: 'files_not_allowed' },
  );
}

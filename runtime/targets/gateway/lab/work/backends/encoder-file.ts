import { AppError } from '../../../../../contract/errors.ts';
import { createOrphanGuard } from '../../../../../platform/orphan-guard.ts';
import { encoderAdapter } from '../../../ask/providers/encoder/adapter.ts';
import { superviseEncoder } from '../../../ask/providers/encoder/supervised-upstream.ts';
import { WORK_LIMITS } from './address.ts';
import type { OpenBackend } from './backend.ts';
import { connect } from './connect.ts';
import { encoderModel } from './encoder-model.ts';

/** An executable that is started beside the work, and started again should it end. */
export const openEncoderFile: OpenBackend<'encoder-file'> = async ({ path }, tools, { pacing, signal }) => {
  if (!tools.trusted) throw notTrusted(path);
  // Work may be ended without any time to stop what it started.
  const guard = createOrphanGuard();
  const upstream = superviseEncoder({
    name: path,
    path,
    limits: WORK_LIMITS,
    ...pacing,
    onLine: (line) => tools.log('info', line),
    watch: guard.watch,
  });
  const name = `The encoder \`${path}\``;
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
};

const notTrusted = (path: string): AppError =>
  new AppError(
    'ForbiddenError',
    `\`${path}\` may not be started. Whoever runs the gateway can allow files for work; an encoder that runs already can be named by its address.`,
    { reason: 'files_not_allowed' },
  );

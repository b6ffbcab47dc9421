import { join } from 'node:path';
import { runProgram } from '../measure/child.ts';
import { PATHS } from '../setup/paths.ts';
import { builder, encoder } from '../setup/programs.ts';
import { type RunningServer, startServer } from './running-server.ts';

/** An executable that serves HTTP only. */
export const serveEncoder = (executable: string): Promise<RunningServer> =>
  startServer(
    encoder(executable, 'serve', '--http-port', '0', '--disable-grpc', '--log-level', 'silent'),
    /HTTP +http:\/\/[^ ]+:(\d+)$/,
  );

/** An executable with a very small classifier, built from the current code. */
export async function serveSentiment(): Promise<RunningServer> {
  const executable = join(PATHS.work, 'sentiment.encoder');
  await runProgram(builder(join(PATHS.repository, 'fixtures/models/sentiment/encoderfile.yml'), executable));
  return await serveEncoder(executable);
}

import { type RunningProgram, serve } from './serve.ts';

export const startEncoder = (program: string): Promise<RunningProgram> =>
  serve(program, ['serve', '--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc']);

import { homeFolder, isKnownUser } from '#platform/files/home-folder.ts';
import { failUnlessFinished } from '#platform/unfinished.ts';
import { ONNXRUNTIME_PROCESS } from './adapters/onnxruntime-task.ts';

void start(process.argv.slice(2));

async function start(argv: readonly string[]): Promise<void> {
  if (argv[0] === ONNXRUNTIME_PROCESS && process.connected) {
    const { runOnnxRuntimeProcess } = await import('./adapters/onnxruntime-process.ts');
    runOnnxRuntimeProcess();
    return;
  }
  // oclif reads the home folder and the shell from the system, and Node throws if the system does
  // not know the user id. Setting the environment variables avoids the lookups.
  if (homeFolder() === undefined) process.env['HOME'] ??= '';
  if (!isKnownUser()) process.env['SHELL'] ??= '/bin/sh';
  const finish = failUnlessFinished();
  const { main } = await import('./main.ts');
  process.exitCode = await main(argv);
  finish();
}

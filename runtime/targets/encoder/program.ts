import type { Program } from '../../serve/cli/command.ts';
import { completionCommand } from '../../serve/cli/completion-command.ts';
import { licensesCommand } from '../../serve/cli/licenses-command.ts';
import { JSON_OPTION } from '../../serve/cli/output-format.ts';
import { benchCommand } from './commands/bench.ts';
import { inferCommand } from './commands/infer.ts';
import { readModelLicense } from './commands/model-license.ts';
import { inspectCommand } from './commands/inspect.ts';
import { mcpCommand } from './commands/mcp.ts';
import { serveCommand } from './commands/serve.ts';
import { verifyCommand } from './commands/verify.ts';
import { versionCommand } from './commands/version.ts';

/** The commands of a model executable. `modelPath` is the file or folder that contains the model. */
export function encoderProgram(modelPath: string, name: string): Program {
  return {
    name,
    title: 'An encoder model in a single executable.',
    options: JSON_OPTION,
    commands: {
      serve: serveCommand(modelPath),
      infer: inferCommand(modelPath),
      mcp: mcpCommand(modelPath),
      bench: benchCommand(modelPath),
      inspect: inspectCommand(modelPath),
      verify: verifyCommand(modelPath),
      version: versionCommand(modelPath),
      completion: completionCommand,
      licenses: licensesCommand('encoder', () => readModelLicense(modelPath)),
    },
  };
}

import { singleQuoted } from '#core/text/shell-word.ts';
import type { ModelCommand } from '#contract/model-commands.ts';
import type { Command, Program } from '#serve/cli/command.ts';
import { completionCommand } from '#serve/cli/completion-command.ts';
import { licensesCommand } from '#serve/cli/licenses-command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { benchCommand } from './commands/bench.ts';
import { inferCommand } from './commands/infer.ts';
import { readModelLicense } from './commands/model-license.ts';
import { inspectCommand } from './commands/inspect.ts';
import { mcpCommand } from './commands/mcp.ts';
import { serveModelCommand } from './commands/serve.ts';
import { verifyCommand } from './commands/verify.ts';
import { encoderVersionCommand } from './commands/version.ts';

/** The commands of a model executable. `modelPath` is the file or folder that contains the model. */
export function encoderProgram(modelPath: string, name: string): Program {
  return {
    name,
    title: 'An encoder model as a single executable.',
    options: JSON_OPTION,
    explainUnknown: (word) => textHint(name, word),
    commands: {
      serve: serveModelCommand(modelPath),
      infer: inferCommand(modelPath),
      mcp: mcpCommand(modelPath),
      bench: benchCommand(modelPath),
      inspect: inspectCommand(modelPath),
      verify: verifyCommand(modelPath),
      version: encoderVersionCommand(modelPath),
      completion: completionCommand,
      licenses: licensesCommand('encoder', () => readModelLicense(modelPath)),
    } satisfies Record<ModelCommand, Command>,
  };
}

/** New users often pass a text without a command, because they do not know the commands yet. */
const textHint = (name: string, text: string): string =>
  `To run the model on a text: \`${name} infer ${text.length <= MAX_SHOWN ? singleQuoted(text) : 'TEXT'}\`.`;

const MAX_SHOWN = 60;

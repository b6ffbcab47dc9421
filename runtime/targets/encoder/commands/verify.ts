import { isIntact } from '#contract/container/verify.ts';
import { configError } from '#contract/errors.ts';
import { alteredMessage, verificationText } from '#core/model/verification.ts';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson } from '#serve/cli/terminal.ts';

/** The `verify` command: reads the whole file and checks the SHA-256 hash of every section. */
export function verifyCommand(modelPath: string): Command {
  return {
    summary: 'Verify this file against its checksums.',
    options: JSON_OPTION,
    async run(invocation, output) {
      const { verifyFile } = await import('#platform/verify-file.ts');
      const verdicts = await verifyFile(modelPath);
      const intact = verdicts.every(isIntact);
      if (invocation.flag('json')) printJson(output, { file: modelPath, intact, sections: verdicts });
      else output.out(`${verificationText(modelPath, verdicts)}\n`);
      if (!intact) throw configError(alteredMessage(modelPath, verdicts));
      return 0;
    },
  };
}

import { readContainer } from '../../../contract/container/read.ts';
import { isIntact, readFrom, verifySections } from '../../../contract/container/verify.ts';
import { configError } from '../../../contract/errors.ts';
import { alteredMessage, verificationText } from '../../../core/model/verification.ts';
import { openFileSource } from '../../../platform/file-source.ts';
import type { Command } from '../../../serve/cli/command.ts';

/** The `verify` command: reads the whole file and compares the SHA-256 of every section. */
export function verifyCommand(modelPath: string): Command {
  return {
    summary: 'Verify the checksums of this file.',
    options: {},
    async run(_invocation, output) {
      const { newSha256 } = await import('../../../platform/sha256.ts');
      const source = openFileSource(modelPath);
      try {
        const verdicts = await verifySections(readContainer(source), readFrom(source), newSha256);
        output.out(`${verificationText(modelPath, verdicts)}\n`);
        if (!verdicts.every(isIntact)) throw configError(alteredMessage(modelPath, verdicts));
        return 0;
      } finally {
        source.close();
      }
    },
  };
}

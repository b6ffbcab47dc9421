import { readModelCard } from '#core/model/documents.ts';
import { inspect, inspectionTable } from '#core/model/inspection.ts';
import { openFileSource } from '#platform/file-source.ts';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson } from '#serve/cli/terminal.ts';

/** The `inspect` command: shows the contents of this executable. */
export function inspectCommand(modelPath: string): Command {
  return {
    summary: 'Show the model and the contents of this file.',
    options: { ...JSON_OPTION, card: { help: 'Print the model card embedded in this file' } },
    run(invocation, output) {
      const source = openFileSource(modelPath);
      try {
        if (invocation.flag('card')) {
          const card = readModelCard(source);
          if (invocation.flag('json')) printJson(output, { file: modelPath, card });
          else output.out(`${card.trimEnd()}\n`);
          return Promise.resolve(0);
        }
        const inspection = inspect(source);
        const text = invocation.flag('json')
          ? JSON.stringify(inspection, undefined, 2)
          : inspectionTable(inspection);
        output.out(`${text}\n`);
        return Promise.resolve(0);
      } finally {
        source.close();
      }
    },
  };
}

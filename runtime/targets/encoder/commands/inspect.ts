import { inspect, inspectionTable } from '../../../core/model/inspection.ts';
import { openFileSource } from '../../../platform/file-source.ts';
import type { Command } from '../../../serve/cli/command.ts';
import { JSON_OPTION } from '../../../serve/cli/output-format.ts';

/** The `inspect` command: shows what this file contains. */
export function inspectCommand(modelPath: string): Command {
  return {
    summary: 'Show the model and the contents of this file.',
    options: JSON_OPTION,
    run(invocation, output) {
      const source = openFileSource(modelPath);
      try {
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

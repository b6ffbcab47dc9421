import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { INPUT_OPTIONS, readInputFlags } from '../infer/input-options.ts';
import { ENGINE_OPTIONS } from '../servers/options.ts';

/** The `bench` command: measures how fast this host runs the model, and finds the best flags for `serve`. */
export function benchCommand(modelPath: string): Command {
  return {
    summary: 'Benchmark the model on this host and recommend flags for `serve`.',
    options: {
      ...JSON_OPTION,
      seconds: {
        value: 'count',
        help: 'Measurement time in seconds, from 1 to 3600, not including model loading',
        fallback: '10',
      },
      ...INPUT_OPTIONS,
      ...ENGINE_OPTIONS,
    },
    async run(invocation, output) {
      const seconds = requiredNumber(invocation, 'seconds', { min: 1, max: 3600 });
      const input = readInputFlags(invocation);
      const { readEngineSettings } = await import('../servers/settings.ts');
      const settings = readEngineSettings(invocation);
      const { runBench } = await import('../bench/run-bench.ts');
      const result = await runBench(modelPath, settings, { milliseconds: seconds * 1000, input }, output);
      const { benchJson, benchText } = await import('../bench/report.ts');
      if (invocation.flag('json')) {
        printJson(output, benchJson(result));
        return 0;
      }
      const { stdoutTerminal } = await import('#serve/cli/terminal.ts');
      output.out(benchText(result, stdoutTerminal()));
      return 0;
    },
  };
}

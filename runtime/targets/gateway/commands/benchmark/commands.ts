import type { CommandGroup } from '#serve/cli/command.ts';
import { listBenchmarksCommand } from './list.ts';
import { runBenchmarkCommand } from './run.ts';

export const BENCHMARK_COMMANDS: CommandGroup = {
  summary: 'Run small public benchmarks by name.',
  commands: {
    list: listBenchmarksCommand,
    run: runBenchmarkCommand,
  },
};

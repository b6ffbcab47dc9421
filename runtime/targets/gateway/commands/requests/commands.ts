import type { CommandGroup } from '#serve/cli/command.ts';
import { getRequestCommand } from './get.ts';
import { latencyCommand } from './latency.ts';
import { listRequestsCommand } from './list.ts';

export const REQUEST_COMMANDS: CommandGroup = {
  summary: 'Show past requests, their attempts, and how long they took.',
  commands: { list: listRequestsCommand, get: getRequestCommand, latency: latencyCommand },
};

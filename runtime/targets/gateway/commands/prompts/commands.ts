import type { CommandGroup } from '#serve/cli/command.ts';
import { getPromptCommand } from './get.ts';
import { listPromptsCommand } from './list.ts';

export const PROMPT_COMMANDS: CommandGroup = {
  summary: 'Show stored requests and answers.',
  commands: { list: listPromptsCommand, get: getPromptCommand },
};

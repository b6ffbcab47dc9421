import type { CommandGroup } from '#serve/cli/command.ts';
import { guardrailHitsCommand } from './hits.ts';

export const GUARDRAIL_COMMANDS: CommandGroup = {
  summary: 'Show what guardrails flagged.',
  commands: { hits: guardrailHitsCommand },
};

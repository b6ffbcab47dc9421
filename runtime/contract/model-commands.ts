/**
 * The commands of a model executable. If a user passes one to the build tool, its error refers to
 * the executable.
 */
export const MODEL_COMMANDS = [
  'serve',
  'infer',
  'mcp',
  'bench',
  'inspect',
  'verify',
  'version',
  'completion',
  'licenses',
] as const;

export type ModelCommand = (typeof MODEL_COMMANDS)[number];

/** The commands of a model executable, which the build tool names when it is called with one of them. */
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

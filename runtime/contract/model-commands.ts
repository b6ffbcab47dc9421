/** The commands of a model executable. The build tool recognizes them to point users to the executable. */
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

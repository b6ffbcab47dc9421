import { PRESETS } from '../../ask/providers/presets.ts';

/** Variables by other names than `<PRESET>_API_KEY`, as the providers' own documentation gives them. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  huggingface: ['HF_TOKEN'],
};

/** The variables that a preset's key is looked for in. Those that run on one's own machine have none. */
export function keyVariables(preset: string): readonly string[] {
  const known = Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : undefined;
  if (!known || known.local) return [];
  return VARIABLES[preset] ?? [`${preset.toUpperCase()}_API_KEY`];
}

/** The presets whose key is in the environment: the providers of a gateway without a configuration file. */
export const presetsWithKeys = (variable: (name: string) => string | undefined): string[] =>
  Object.keys(PRESETS).filter((preset) => keyVariables(preset).some((name) => variable(name) !== undefined));

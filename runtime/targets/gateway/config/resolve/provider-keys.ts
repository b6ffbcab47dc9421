import { lookup } from '#core/values/lookup.ts';
import { entriesOf } from '#core/values/keys.ts';
import { CLOUDS } from '../../providers/adapters/cloud-settings.ts';
import { PRESETS } from '../../providers/adapters/presets.ts';

/** Variables that are not named `<PRESET>_API_KEY`, according to the providers' documentation. */
const VARIABLES = lookup<readonly string[]>({
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  huggingface: ['HF_TOKEN'],
});

/** Returns the variables that can contain a preset's key. Presets for local servers need no key. */
export function keyVariables(preset: string): readonly string[] {
  const known = Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : undefined;
  if (!known || known.local) return [];
  return VARIABLES[preset] ?? [`${preset.toUpperCase()}_API_KEY`];
}

/**
 * Returns the presets whose key is in the environment. Without a configuration file, these are the gateway's
 * providers.
 */
export function presetsWithKeys(variable: (name: string) => string | undefined): string[] {
  const isSet = (name: string): boolean => variable(name) !== undefined;
  return [
    ...Object.keys(PRESETS).filter((preset) => keyVariables(preset).some(isSet)),
    ...entriesOf(CLOUDS).flatMap(([kind, { variables }]) => (variables?.every(isSet) ? [kind] : [])),
  ];
}

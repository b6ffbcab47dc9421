import { memberOf } from '#core/values/member-of.ts';

/** The names of the tasks for which a model has adapters, in config.json; empty if it has none. */
export function taskNames(config: unknown): string[] {
  const names = memberOf(config, 'lora_adaptations');
  return Array.isArray(names) ? names.map(String) : [];
}

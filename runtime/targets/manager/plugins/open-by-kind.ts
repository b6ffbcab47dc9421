import type { OpenPlugin, PluginPlace } from './open-plugin.ts';
import type { PluginSpec } from '../config/plugin-settings.ts';

/** Makes a plugin ready to be asked. Rejects with an AppError that says why it is not; nothing is left running then. */
export async function openByKind(
  spec: PluginSpec,
  place: PluginPlace,
  signal: AbortSignal,
): Promise<OpenPlugin> {
  const { launch } = spec;
  // Loaded only where they are needed: most managers have no plugins.
  if (launch.kind === 'exec') {
    const { openExecutable } = await import('./kinds/executable.ts');
    return openExecutable(spec, launch, place, signal);
  }
  if (launch.kind === 'http') {
    const { openHook } = await import('./kinds/hook.ts');
    return openHook(spec, launch);
  }
  const { openModule } = await import('./kinds/module.ts');
  return openModule(spec, launch, place);
}

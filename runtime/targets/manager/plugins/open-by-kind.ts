import type { OpenPlugin, PluginEnvironment } from './open-plugin.ts';
import type { PluginSpec } from '../config/plugin-settings.ts';

/** Opens a plugin. Rejects with an AppError that explains the failure; then no process is left running. */
export async function openByKind(
  spec: PluginSpec,
  environment: PluginEnvironment,
  signal: AbortSignal,
): Promise<OpenPlugin> {
  const { launch } = spec;
  // Imported on demand, because most managers have no plugins.
  if (launch.kind === 'exec') {
    const { openExecutable } = await import('./kinds/executable.ts');
    return openExecutable(spec, launch, environment, signal);
  }
  if (launch.kind === 'http') {
    const { openHook } = await import('./kinds/hook.ts');
    return openHook(spec, launch);
  }
  const { openModule } = await import('./kinds/module.ts');
  return openModule(spec, launch, environment);
}

/** `[plugins]`: the plugins in execution order. */
export interface PluginSettings {
  readonly plugins: readonly PluginSpec[];
}

export interface PluginSpec {
  readonly name: string;
  readonly category: PluginCategory;
  readonly flows: readonly PluginFlow[];
  /** Whether a plugin failure is an error for the client. Otherwise, a failing plugin is skipped. */
  readonly required: boolean;
  /** Timeout for processing one request or response. */
  readonly timeoutMs: number;
  /** The plugin's own configuration. Placeholders are not expanded yet. */
  readonly config: Readonly<Record<string, string>>;
  readonly launch: PluginLaunch;
}

export type PluginLaunch = ExecutableLaunch | HookLaunch | ModuleLaunch;

/** A program that serves `mozilla.mcpd.plugins.v1.Plugin` on the socket given by `--address`. */
export interface ExecutableLaunch {
  readonly kind: 'exec';
  /** The program's folder. The program's file name is the plugin name. */
  readonly dir: string;
  /** The commit hash that the plugin must report. */
  readonly commitHash: string | undefined;
}

/** An HTTP server that receives the same messages as JSON. */
export interface HookLaunch {
  readonly kind: 'http';
  readonly url: string;
}

/** A JavaScript module that runs in the manager's process. */
export interface ModuleLaunch {
  readonly kind: 'js';
  readonly path: string;
}

export const PLUGIN_KINDS = ['exec', 'http', 'js'] as const satisfies readonly PluginLaunch['kind'][];

export const PLUGIN_FLOWS = ['request', 'response'] as const;
export type PluginFlow = (typeof PLUGIN_FLOWS)[number];

/** Categories in execution order, for requests and responses. */
export const PLUGIN_CATEGORIES = [
  'observability',
  'authentication',
  'authorization',
  'rate_limiting',
  'validation',
  'content',
  'audit',
] as const;
export type PluginCategory = (typeof PLUGIN_CATEGORIES)[number];

export interface CategoryRules {
  /** Whether the plugins run concurrently. */
  readonly parallel: boolean;
  /** Whether only required plugins can reject a message. */
  readonly observes: boolean;
  /** Whether the plugins can change a message. */
  readonly canChange: boolean;
}

const CHECKS: CategoryRules = { parallel: false, observes: false, canChange: false };

export const CATEGORY_RULES: Readonly<Record<PluginCategory, CategoryRules>> = {
  observability: { parallel: true, observes: true, canChange: false },
  authentication: CHECKS,
  authorization: CHECKS,
  rate_limiting: CHECKS,
  validation: CHECKS,
  content: { parallel: false, observes: false, canChange: true },
  audit: CHECKS,
};

export const DEFAULT_PLUGIN_TIMEOUT_MS = 5000;

/** `[plugins]`: what looks at requests and answers, in the order in which it is asked. */
export interface PluginSettings {
  readonly plugins: readonly PluginSpec[];
}

export interface PluginSpec {
  readonly name: string;
  readonly category: PluginCategory;
  readonly flows: readonly PluginFlow[];
  /** Without it, nothing goes through. Otherwise what it cannot do is left out. */
  readonly required: boolean;
  /** How long it may take over one request or answer. */
  readonly timeoutMs: number;
  /** What it is configured with; placeholders still stand. */
  readonly config: Readonly<Record<string, string>>;
  readonly launch: PluginLaunch;
}

export type PluginLaunch = ExecutableLaunch | HookLaunch | ModuleLaunch;

/** A program that serves `mozilla.mcpd.plugins.v1.Plugin` on the socket it is given. */
export interface ExecutableLaunch {
  readonly kind: 'exec';
  /** Its folder; in it, it is called as the plugin is. */
  readonly dir: string;
  /** What it must say that it was built from. */
  readonly commitHash: string | undefined;
}

/** A server that is sent the same messages as JSON. */
export interface HookLaunch {
  readonly kind: 'http';
  readonly url: string;
}

/** A JavaScript module that runs in this process. */
export interface ModuleLaunch {
  readonly kind: 'js';
  readonly path: string;
}

export const PLUGIN_KINDS = ['exec', 'http', 'js'] as const satisfies readonly PluginLaunch['kind'][];

export const PLUGIN_FLOWS = ['request', 'response'] as const;
export type PluginFlow = (typeof PLUGIN_FLOWS)[number];

/** For requests and for answers, plugins are asked in this order. */
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
  /** All at once, for none of them matters to another. */
  readonly parallel: boolean;
  /** Only required plugins can refuse. */
  readonly observes: boolean;
  /** Others may look at a request or an answer, or refuse it, and no more. */
  readonly mayChange: boolean;
}

const INSPECTS: CategoryRules = { parallel: false, observes: false, mayChange: false };

export const CATEGORY_RULES: Readonly<Record<PluginCategory, CategoryRules>> = {
  observability: { parallel: true, observes: true, mayChange: false },
  authentication: INSPECTS,
  authorization: INSPECTS,
  rate_limiting: INSPECTS,
  validation: INSPECTS,
  content: { parallel: false, observes: false, mayChange: true },
  audit: INSPECTS,
};

export const DEFAULT_PLUGIN_TIMEOUT_MS = 5000;

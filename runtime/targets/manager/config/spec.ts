import type { Secret } from '#core/text/redactions.ts';
import type { ProcessLimits } from '#core/limits/process-limits.ts';
import type { GroupSpec } from './group-spec.ts';
import type { PluginSettings } from './plugin-settings.ts';
import type { ApprovalRule, ToolOverride, ToolPins } from './tool-policy.ts';

/** The resolved configuration: all placeholders are expanded and all defaults are set. */
export interface ManagerConfig {
  /** The enabled servers in the order of the file; their names are unique. */
  readonly servers: readonly ServerSpec[];
  readonly daemon: DaemonSettings;
  readonly groups: readonly GroupSpec[];
  readonly plugins: PluginSettings;
  /** Values that are redacted: those of the secrets file and those of expanded placeholders. */
  readonly secrets: readonly Secret[];
  /** The files of the configuration, which are watched for changes. */
  readonly files: readonly string[];
}

/** The resolved settings of an MCP server. */
export interface ServerSpec {
  /** The normalized name: lower case and trimmed. */
  readonly name: string;
  readonly launch: Launch;
  readonly tools: NameFilter;
  readonly prompts: NameFilter;
  /** Patterns for the URIs of resources. */
  readonly resources: NameFilter;
  /** Whether only tools with the annotation `readOnlyHint: true` are allowed. */
  readonly readOnly: boolean;
  /** Whether the server starts with the first request, and stops after `idleMs` without requests. */
  readonly lazy: boolean;
  readonly idleMs: number;
  readonly timeouts: ServerTimeouts;
  /** Maximum number of concurrent calls. */
  readonly concurrency: number;
  /** Maximum number of calls that wait; further calls are rejected. */
  readonly queue: number;
  /** Changes of tools by their own names, in lower case. */
  readonly toolOverrides?: Readonly<Record<string, ToolOverride>> | undefined;
  readonly approvals?: readonly ApprovalRule[] | undefined;
  /** The pinned tools; undefined if the server is not pinned. */
  readonly pins?: ToolPins | undefined;
}

export type Launch = ProcessLaunch | RemoteLaunch | UnusableLaunch;

/** A server that cannot start because its values are incomplete or invalid, for example an unset variable. */
interface UnusableLaunch {
  readonly kind: 'unusable';
  /** The problems as complete sentences. */
  readonly problem: string;
  /** What can be installed nevertheless: a package does not need the values of its server. */
  readonly package?: ProcessLaunch | undefined;
}

/** A server as a child process that communicates over stdin and stdout. */
export interface ProcessLaunch {
  readonly kind: 'process';
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the process: it inherits nothing else. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** The maximum of memory, processors and processes. Containers get it from docker. */
  readonly limits?: LaunchLimits | undefined;
  /** Prefix of the container's name, if the command is docker. */
  readonly container?: string | undefined;
  /** The package whose hash is verified before each start. */
  readonly integrity?: PackageIntegrity | undefined;
  /** How the package is installed before the start, if the server is one. */
  readonly installation?: PackageInstallation | undefined;
}

/** How a package is installed without starting its server. */
export interface PackageInstallation {
  /** The package as in the configuration, e.g. `npx::name@1.2.3`. */
  readonly label: string;
  readonly command: PackageCommand;
  /** A command that succeeds if nothing needs to be installed; without it, `command` finds out. */
  readonly check?: PackageCommand | undefined;
  /** Whether the version always has the same content, so that an installed package is not checked again. */
  readonly isExact: boolean;
  /** The packages in the folder of npx, which an interrupted installation can leave incomplete. */
  readonly npx?: readonly string[] | undefined;
  readonly uvx?: boolean | undefined;
}

/** A command that a package runtime provides. */
export interface PackageCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A package of npm with the hash of its only allowed content. */
export interface PackageIntegrity {
  /** `name@version` */
  readonly name: string;
  /** The hash as in the registry of npm, e.g. `sha512-…`. */
  readonly hash: string;
}

/** The settings of `[servers.limits]`. */
export interface LaunchLimits extends ProcessLimits {
  /** Whether the server does not start where the system cannot apply a limit. */
  readonly required: boolean;
}

/** A remote server. */
export interface RemoteLaunch {
  readonly kind: 'remote';
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of clients that are passed on, in lower case. */
  readonly passHeaders?: readonly string[] | undefined;
  readonly oauth?: OAuthSettings | undefined;
}

/** The settings of `[servers.oauth]`. Without them, a remote server that requires it is signed in to by a person. */
export type OAuthSettings = ClientCredentials | SignInSettings;

interface CommonOAuth {
  /** The private key with which the client authenticates instead of a secret. */
  readonly privateKey?: ClientKey | undefined;
  readonly scope?: string | undefined;
  /** The only authorization server that gets credentials; if undefined, the server names it. */
  readonly issuer?: string | undefined;
}

/** The private key of a client. @see https://www.rfc-editor.org/rfc/rfc7523 */
export interface ClientKey {
  /** PEM (PKCS #8) or a JSON Web Key. */
  readonly key: string;
  /** The ID of the public key at the authorization server, if it needs one. */
  readonly id?: string | undefined;
}

/** OAuth 2 client credentials, for servers without a person. */
export interface ClientCredentials extends CommonOAuth {
  readonly grant: 'client_credentials';
  readonly clientId: string;
  /** Undefined if the client has a key. */
  readonly clientSecret?: string | undefined;
  /** The token endpoint; if undefined, it is discovered from the metadata of the server. */
  readonly tokenUrl?: string | undefined;
}

/** The authorization of a person, by `mcp-manager login`. */
export interface SignInSettings extends CommonOAuth {
  readonly grant: 'authorization_code';
  /** A client that was registered at the authorization server before. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** URL of a document about the client, which is its ID at authorization servers that read such documents. */
  readonly clientMetadataUrl?: string | undefined;
  /** The loopback URL to which the browser returns; by default on a free port. */
  readonly redirectUri?: string | undefined;
  /** Whether each caller of the manager signs in. Otherwise, all callers share one sign-in. */
  readonly perUser?: boolean | undefined;
}

/** Patterns with `*`, compared without case. A name that matches `allow` and not `deny` is allowed. */
export interface NameFilter {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Timeouts of a server in milliseconds. */
export interface ServerTimeouts {
  /** Maximum time to install the package of the server. */
  readonly install: number;
  /** Maximum time from the start of the process to the end of the handshake. */
  readonly init: number;
  readonly request: number;
  readonly shutdown: number;
}

/** The settings of `[daemon]`, completed with defaults. Flags take precedence over both. */
export interface DaemonSettings {
  readonly addr: string;
  readonly shutdownMs: number;
  readonly healthMs: number;
  readonly healthIntervalMs: number;
  readonly cors: CorsSettings | undefined;
  /** The access tokens that are accepted in addition to keys; none by default. */
  readonly oauth?: ResourceSettings | undefined;
}

/** The manager as a protected resource of an authorization server. */
export interface ResourceSettings {
  readonly issuer: string;
  /** The public base URL of the manager, which is the audience of tokens. */
  readonly resource: string;
  /** Further audiences that are accepted. */
  readonly audiences: readonly string[];
  /** URL of the keys; by default, it is in the metadata of the issuer. */
  readonly jwksUri: string | undefined;
  readonly algorithms: readonly string[];
  /** The claim with the name of the user. */
  readonly userClaim: string;
  readonly adminScope: string | undefined;
  /** Without it, only JWTs are accepted. */
  readonly introspection?: IntrospectionSettings | undefined;
  /** Patterns of servers and `server/tool` by scope. Without it, each token allows all servers. */
  readonly scopes: ReadonlyMap<string, readonly string[]> | undefined;
}

/** How the manager asks the issuer about tokens that are not JWTs. */
export interface IntrospectionSettings {
  /** The client as which the manager authenticates. */
  readonly clientId: string;
  /** The introspection endpoint; by default, it is in the metadata of the issuer. */
  readonly url: string | undefined;
}

export interface CorsSettings {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly credentials: boolean;
  readonly maxAgeSeconds: number;
}

/** Whether each caller of the manager signs in to a server, so that it has a connection for each of them. */
export const isPerUser = ({ launch }: Pick<ServerSpec, 'launch'>): boolean =>
  launch.kind === 'remote' && launch.oauth?.grant === 'authorization_code' && launch.oauth.perUser === true;

import type { UserReference } from './user-references.ts';
import type { SearchEncoderSetting } from './search-encoder.ts';
import type { ScanClassifierSetting } from './scan-classifier.ts';
import type { Secret } from '#core/text/redactions.ts';
import type { ProcessLimits } from '#core/limits/process-limits.ts';
import type { GroupSpec } from './group-spec.ts';
import type { PluginSettings } from './plugin-settings.ts';
import type { ApprovalRule, ScanPolicy, ToolOverride, ItemPins } from './tool-policy.ts';

/** The resolved configuration: all placeholders are expanded and all defaults are applied. */
export interface ManagerConfig {
  /** The enabled servers in file order; their names are unique. */
  readonly servers: readonly ServerSpec[];
  readonly daemon: DaemonSettings;
  readonly groups: readonly GroupSpec[];
  readonly plugins: PluginSettings;
  /** Values to redact: those from the secrets file and from expanded placeholders. */
  readonly secrets: readonly Secret[];
  /** The configuration files, which are watched for changes. */
  readonly files: readonly string[];
}

/** Resolved settings of an MCP server. */
export interface ServerSpec {
  /** The normalized name: lower case and trimmed. */
  readonly name: string;
  readonly launch: Launch;
  readonly tools: NameFilter;
  readonly prompts: NameFilter;
  /** Resource URI patterns. */
  readonly resources: NameFilter;
  /** Whether only tools with the annotation `readOnlyHint: true` are allowed. */
  readonly readOnly: boolean;
  /** Whether the server starts with the first request and stops after `idleMs` without requests. */
  readonly lazy: boolean;
  readonly idleMs: number;
  readonly timeouts: ServerTimeouts;
  /** Maximum number of concurrent calls. */
  readonly concurrency: number;
  /** Maximum number of queued calls; additional calls are rejected. */
  readonly queue: number;
  /** Tool overrides by the tool's name on the server, in lower case. */
  readonly toolOverrides?: Readonly<Record<string, ToolOverride>> | undefined;
  readonly approvals?: readonly ApprovalRule[] | undefined;
  /** The protocol extensions that are passed on; undefined for the default. */
  readonly extensions?: readonly string[] | undefined;
  /** The pinned items; undefined if the server is not pinned. */
  readonly pins?: ItemPins | undefined;
  /** How the server's texts are scanned for injections. Default: DEFAULT_SCAN. */
  readonly scan?: ScanPolicy | undefined;
  /** Maximum number of processes, or connections, of a server with one per user. */
  readonly maxInstances?: number | undefined;
}

export type Launch = ProcessLaunch | RemoteLaunch | UnusableLaunch;

/**
 * A server that cannot start because its values are incomplete or invalid, for example because a variable is
 * not set.
 */
interface UnusableLaunch {
  readonly kind: 'unusable';
  /** The problems as complete sentences. */
  readonly problem: string;
  /**
   * The package, which can be installed regardless, because its installation does not need the server's
   * values.
   */
  readonly package?: ProcessLaunch | undefined;
}

/** A server that runs as a child process and communicates over stdin and stdout. */
export interface ProcessLaunch {
  readonly kind: 'process';
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the process. No other variables are inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Memory, CPU and process limits. For containers, docker enforces them. */
  readonly limits?: LaunchLimits | undefined;
  /** Prefix of the container's name, if the command is docker. */
  readonly container?: string | undefined;
  /** The package whose hash is verified before each start. */
  readonly integrity?: PackageIntegrity | undefined;
  /** How to install the package before the start, if the server is a package. */
  readonly installation?: PackageInstallation | undefined;
  /** The users' values in `args` and `env`. Each user then has a process. */
  readonly userValues?: readonly UserReference[] | undefined;
}

/** How to install a package without starting its server. */
export interface PackageInstallation {
  /** The package as configured, e.g. `npx::name@1.2.3`. */
  readonly label: string;
  readonly command: PackageCommand;
  /**
   * A command that succeeds if the package is already installed. If undefined, `command` is run to
   * determine this.
   */
  readonly check?: PackageCommand | undefined;
  /** Whether the version is immutable, so that an installed package is not checked again. */
  readonly isExact: boolean;
  /** The packages in the npx folder. An interrupted installation can leave them incomplete. */
  readonly npx?: readonly string[] | undefined;
  readonly uvx?: boolean | undefined;
}

/** A command that a package runtime provides. */
export interface PackageCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** An npm package with the hash of its only allowed content. */
export interface PackageIntegrity {
  /** `name@version` */
  readonly name: string;
  /** The hash as in the npm registry, e.g. `sha512-…`. */
  readonly hash: string;
}

/** Settings of `[servers.limits]`. */
export interface LaunchLimits extends ProcessLimits {
  /** Whether the server must not start if the system cannot apply a limit. */
  readonly required: boolean;
}

/** A remote server. */
export interface RemoteLaunch {
  readonly kind: 'remote';
  readonly transport: 'http' | 'sse' | 'openapi';
  readonly url: string;
  /** The API whose operations are the tools, for the transport `openapi`. */
  readonly api?: ApiSettings | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Client headers to pass on, in lower case. */
  readonly passHeaders?: readonly string[] | undefined;
  readonly oauth?: OAuthSettings | undefined;
  /** The users' values in `headers`. Each user then has a connection. */
  readonly userValues?: readonly UserReference[] | undefined;
  /** Headers with users' values that are sent with calls on the connection that all users share. */
  readonly callHeaders?: Readonly<Record<string, string>> | undefined;
}

/** An API that is described by an OpenAPI document: `openapi` and `[servers.api]`. */
export interface ApiSettings {
  /** Absolute path or URL of the document. */
  readonly document: string;
  /** The URL that calls go to, instead of the document's server. */
  readonly baseUrl: string | undefined;
  /** Further origins that operations can have as their server. */
  readonly origins: readonly string[];
  /** Values of the variables in server URLs. */
  readonly variables: Readonly<Record<string, string>>;
  /** Filters for operations. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Values of parameters that callers do not set, by name. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Credentials by the name of their security scheme. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Names of path parameters that can contain slashes. */
  readonly pathSlashes: readonly string[];
  /** Interval at which a document on the network is requested. */
  readonly refreshMs: number;
}

/** Settings of `[servers.oauth]`. Without them, a remote server that requires OAuth needs a user sign-in. */
export type OAuthSettings = ClientCredentials | SignInSettings | ActingOAuth;

/** OAuth with which the manager acts for each user, without a sign-in to the server. */
export type ActingOAuth = TokenExchange | CrossAppAccess | SignedIdentity;

interface CommonOAuth {
  /** The private key that the client authenticates with instead of a secret. */
  readonly privateKey?: ClientKey | undefined;
  readonly scope?: string | undefined;
  /** The only authorization server that receives credentials; if undefined, the server specifies it. */
  readonly issuer?: string | undefined;
}

/** A client's private key. @see https://www.rfc-editor.org/rfc/rfc7523 */
export interface ClientKey {
  /** PEM (PKCS #8) or a JSON Web Key. */
  readonly key: string;
  /** ID of the public key at the authorization server, if required. */
  readonly id?: string | undefined;
}

/** OAuth 2 client credentials, for servers that do not require a user sign-in. */
export interface ClientCredentials extends CommonOAuth {
  readonly grant: 'client_credentials';
  readonly clientId: string;
  /** Undefined if the client has a key. */
  readonly clientSecret?: string | undefined;
  /** The token endpoint. If undefined, the endpoint in the server's metadata is used. */
  readonly tokenUrl?: string | undefined;
}

/** A client of an authorization server. */
export interface OAuthClientSettings {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: ClientKey | undefined;
}

/** Exchange of the user's access token for one of the server. @see https://www.rfc-editor.org/rfc/rfc8693 */
export interface TokenExchange extends CommonOAuth, OAuthClientSettings {
  readonly grant: 'token_exchange';
  /** The token endpoint. If undefined, the endpoint in the metadata of the issuer is used. */
  readonly tokenUrl?: string | undefined;
  /** If undefined, the URL of the server is sent as the resource. */
  readonly audience?: string | undefined;
}

/** What the tokens of callers are for their identity provider. */
export const IDENTITY_TOKENS = ['access_token', 'id_token'] as const;

/** Exchange of the user's token at the identity provider for an assertion for the server's authorization server. */
export interface CrossAppAccess extends CommonOAuth, OAuthClientSettings {
  readonly grant: 'cross_app_access';
  readonly identityProvider: string;
  /** The manager's client at the identity provider. */
  readonly identityClient: OAuthClientSettings;
  /** Default: `access_token`. */
  readonly identityToken?: (typeof IDENTITY_TOKENS)[number] | undefined;
}

/** A JWT about the user that the manager signs. */
interface SignedIdentity {
  readonly grant: 'signed_identity';
  /** The manager's public URL. */
  readonly issuer: string;
  /** If undefined, the URL of the server. */
  readonly audience?: string | undefined;
}

/** Authorization by a user, with `mcp-manager login`. */
export interface SignInSettings extends CommonOAuth {
  readonly grant: 'authorization_code';
  /** A client that is pre-registered at the authorization server. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** URL of the client ID metadata document, which serves as the client ID at authorization servers that support it. */
  readonly clientMetadataUrl?: string | undefined;
  /** The loopback redirect URI; by default on a free port. */
  readonly redirectUri?: string | undefined;
  /** Whether each caller of the manager signs in separately. Otherwise, all callers share one sign-in. */
  readonly perUser?: boolean | undefined;
  /** The scopes that the document of an API requires, for sign-ins without configured scopes. */
  readonly documentScope?: string | undefined;
}

/** Patterns with `*`, matched case-insensitively. A name that matches `allow` and not `deny` is allowed. */
export interface NameFilter {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Server timeouts in milliseconds. */
export interface ServerTimeouts {
  /** Maximum time to install the server's package. */
  readonly install: number;
  /** Maximum time from the start of the process to the end of the handshake. */
  readonly init: number;
  readonly request: number;
  readonly shutdown: number;
}

/** Settings of `[daemon]`, completed with defaults. Flags override both. */
export interface DaemonSettings {
  readonly addr: string;
  readonly shutdownMs: number;
  readonly healthMs: number;
  readonly healthIntervalMs: number;
  readonly cors: CorsSettings | undefined;
  /** The access tokens accepted in addition to keys; none by default. */
  readonly oauth?: ResourceSettings | undefined;
  /** The encoder for searches by meaning; undefined if searches only use words. */
  readonly searchEncoder?: SearchEncoderSetting | undefined;
  /** The model that finds injections, in addition to the rules. */
  readonly scanClassifier?: ScanClassifierSetting | undefined;
}

/** The manager as an OAuth protected resource. */
export interface ResourceSettings {
  readonly issuer: string;
  /** The manager's public base URL. Tokens must have it as their audience. */
  readonly resource: string;
  /** Additional accepted audiences. */
  readonly audiences: readonly string[];
  /** URL of the JSON Web Key Set; by default from the issuer's metadata. */
  readonly jwksUri: string | undefined;
  readonly algorithms: readonly string[];
  /** The claim that contains the user name. */
  readonly userClaim: string;
  readonly adminScope: string | undefined;
  /** The claim that contains the MCP mode of a token; undefined if tokens have none. */
  readonly modeClaim?: string | undefined;
  /** Without introspection, only JWTs are accepted. */
  readonly introspection?: IntrospectionSettings | undefined;
  /** `server` and `server/tool` patterns by scope. If undefined, each token allows all servers. */
  readonly scopes: ReadonlyMap<string, readonly string[]> | undefined;
}

/** How to introspect opaque tokens at the issuer. */
export interface IntrospectionSettings {
  /** The client that the manager authenticates as. */
  readonly clientId: string;
  /** The introspection endpoint; by default from the issuer's metadata. */
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

/** Whether each user has a separate process or connection. */
export const isPerUser = (spec: Pick<ServerSpec, 'launch'>): boolean =>
  usesUserValues(spec) || signsInPerUser(spec) || actingOAuth(spec) !== undefined;

/** Returns the settings with which the manager acts for each user; undefined if it does not. */
export function actingOAuth({ launch }: Pick<ServerSpec, 'launch'>): ActingOAuth | undefined {
  const oauth = launch.kind === 'remote' ? launch.oauth : undefined;
  return oauth && oauth.grant !== 'authorization_code' && oauth.grant !== 'client_credentials'
    ? oauth
    : undefined;
}

/** Whether a server is started, or connected to, with values of its user. */
const usesUserValues = ({ launch }: Pick<ServerSpec, 'launch'>): boolean =>
  launch.kind !== 'unusable' && launch.userValues !== undefined;

/** Whether each caller of the manager signs in to the server separately. */
export const signsInPerUser = ({ launch }: Pick<ServerSpec, 'launch'>): boolean =>
  launch.kind === 'remote' && launch.oauth?.grant === 'authorization_code' && launch.oauth.perUser === true;

/**
 * The tools of an API: everything that calls need from its OpenAPI document, which is read in another thread and not
 * kept. It consists of plain data, so that it can be sent between threads.
 */
export interface ApiPlan {
  readonly title: string;
  readonly version: string;
  /** The version of the OpenAPI Specification, such as `3.1.0`. */
  readonly specification: string;
  readonly tools: readonly ApiTool[];
  /** Operations that are not tools because of a problem. */
  readonly dropped: readonly DroppedOperation[];
  /** Number of operations in the document, including those that the settings exclude. */
  readonly operations: number;
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** The first URL to which calls go; undefined if there are no tools. */
  readonly baseUrl: string | undefined;
  /** Problems that do not affect a single operation, as sentences. */
  readonly problems: readonly string[];
  /** The files that the document consists of, if it is a file. */
  readonly files: readonly string[];
}

export interface DroppedOperation {
  /** For example `GET /users/{id}`. */
  readonly operation: string;
  readonly reason: string;
}

export type Schema = Readonly<Record<string, unknown>>;

export interface ApiTool {
  /** The tool as clients see it. */
  readonly definition: ToolDefinition;
  readonly operation: ApiOperation;
}

interface ToolDefinition extends Schema {
  readonly name: string;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema | undefined;
}

/** How to call an operation. */
export interface ApiOperation {
  readonly method: string;
  /** URL without a trailing slash, to which the path is appended. */
  readonly server: string;
  readonly path: string;
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | undefined;
  /** Value of the Accept header. */
  readonly accept: string;
  /** Alternative combinations of security schemes; empty if the operation requires none. */
  readonly security: readonly SecurityAlternative[];
}

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

/** How a value that is not a plain text is written. */
export interface ValueStyle {
  readonly style: string;
  readonly explode: boolean;
  /** Whether reserved characters are not encoded. */
  readonly allowReserved: boolean;
}

export interface ApiParameter extends ValueStyle {
  /** The tool's argument. */
  readonly argument: string;
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  /** Whether a path parameter can contain slashes. */
  readonly allowsSlash: boolean;
  /** How the value is serialized before it is encoded, if the parameter has `content`. */
  readonly content: 'json' | 'text' | undefined;
  /** The only value, if the configuration sets one. */
  readonly fixed?: string | undefined;
}

export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary';

export interface ApiBody {
  /** The tool's argument. */
  readonly argument: string;
  readonly mediaType: string;
  readonly kind: BodyKind;
  readonly required: boolean;
  /** How members of forms are written, by name. */
  readonly fields: Readonly<Record<string, FormField>>;
}

export interface FormField extends Partial<ValueStyle> {
  readonly contentType?: string | undefined;
  /** Whether the field is a file, or a list of files. */
  readonly isFile: boolean;
}

/** Security schemes that together authorize an operation, with the scopes that it requires of them. */
export type SecurityAlternative = Readonly<Record<string, readonly string[]>>;

/** A way to authenticate. `unsupported` schemes, such as mutual TLS, are left to the configuration. */
export interface SecurityScheme {
  readonly kind: 'header' | 'query' | 'cookie' | 'basic' | 'bearer' | 'oauth' | 'unsupported';
  /** Name of the header, query parameter or cookie. */
  readonly name: string;
}

/** Why an operation cannot be a tool. */
export class UnusableOperation extends Error {
  override readonly name = 'UnusableOperation';
}

/** Requests to the thread that compiles JSON Schemas. The reply is the reason why a schema does not compile, or undefined. */
export interface SchemaRequest {
  readonly kind: 'compile';
  readonly schema: object;
  readonly draft: SchemaDraft;
}

/** `client`: with the settings of the official MCP SDK. */
export type SchemaDraft = '2020' | 'client';

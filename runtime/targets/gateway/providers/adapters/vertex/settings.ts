import type { GoogleSource } from '../access/google-token.ts';

/** Vertex AI in a project and a location of Google Cloud. */
export interface VertexSettings {
  readonly kind: 'vertex';
  readonly project: string;
  readonly location: string;
  readonly credentials: GoogleSource;
}

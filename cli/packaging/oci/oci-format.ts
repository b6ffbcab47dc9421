/** Media types of the OCI image format (https://github.com/opencontainers/image-spec, version 1). */
export const MEDIA = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  gzipLayer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/** Annotations and labels from the same specification. */
export const ANNOTATION = {
  refName: 'org.opencontainers.image.ref.name',
  title: 'org.opencontainers.image.title',
  version: 'org.opencontainers.image.version',
  licenses: 'org.opencontainers.image.licenses',
  created: 'org.opencontainers.image.created',
  /** The image name and tag that containerd and Podman use when they load a layout. */
  fullName: 'io.containerd.image.name',
  /** The `origin` from the model's manifest. A build only replaces an image with the same origin. */
  origin: 'encoderfile.origin',
} as const;

/** The content of the file `oci-layout`. */
export const LAYOUT_VERSION = { imageLayoutVersion: '1.0.0' };

/** A reference to a blob. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: OciPlatform;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface OciPlatform {
  readonly architecture: string;
  readonly os: string;
}

/** Returns the path of a blob in a layout. This program only writes SHA-256 digests. */
export const blobPath = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { isObject } from '#core/json/is-object.ts';
import { TEST_CACHE } from '../helpers/paths.ts';

/** Third-party programs that check the templates, installed into one folder on first use. */
export const TOOLS = join(TEST_CACHE, 'deploy');
const BIN = join(TOOLS, 'bin');

/** The Kubernetes version whose schemas are used. */
export const KUBERNETES = '1.33.0';

/** The KubeRay version whose RayCluster definition is used. */
const KUBERAY = 'github.com/ray-project/kuberay/ray-operator@v1.5.0';

/** The schemas of the resource kinds in the manifests. */
const KINDS = [
  'configmap-v1.json',
  'deployment-apps-v1.json',
  'horizontalpodautoscaler-autoscaling-v2.json',
  'ingress-networking-v1.json',
  'networkpolicy-networking-v1.json',
  'poddisruptionbudget-policy-v1.json',
  'secret-v1.json',
  'service-v1.json',
  'serviceaccount-v1.json',
];

const once = async (path: string, install: () => Promise<unknown>): Promise<string> => {
  if (!existsSync(path)) {
    await mkdir(BIN, { recursive: true });
    await install();
  }
  return path;
};

const goInstall = (name: string, module: string): Promise<string> =>
  once(join(BIN, name), () => execa('go', ['install', module], { env: { GOBIN: BIN } }));

export const helm = (): Promise<string> => goInstall('helm', 'helm.sh/helm/v3/cmd/helm@v3.22.0');
export const kubeconform = (): Promise<string> =>
  goInstall('kubeconform', 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0');

/** BuildKit's Dockerfile parser and Docker Compose's loader, in one program. */
export const dockerLint = (): Promise<string> =>
  once(join(BIN, 'docker-lint'), async () => {
    const cwd = join(TOOLS, 'docker-lint');
    await mkdir(cwd, { recursive: true });
    await cp(join(import.meta.dirname, 'docker-lint.go.txt'), join(cwd, 'main.go'));
    await writeFile(join(cwd, 'go.mod'), 'module docker-lint\n\ngo 1.26\n');
    await execa(
      'go',
      ['get', 'github.com/compose-spec/compose-go/v2@v2.16.2', 'github.com/moby/buildkit@v0.30.0'],
      { cwd },
    );
    await execa('go', ['mod', 'tidy'], { cwd });
    await execa('go', ['build', '-o', join(BIN, 'docker-lint'), '.'], { cwd });
  });

/** Checks files against the JSON schemas of GitHub and GitLab, which the package contains. */
export const checkJsonSchema = (): Promise<string> =>
  once(join(TOOLS, 'check-jsonschema/bin/check-jsonschema'), async () => {
    const environment = join(TOOLS, 'check-jsonschema');
    await execa('python3', ['-m', 'venv', environment]);
    await execa(join(environment, 'bin/pip'), ['install', 'check-jsonschema==0.39.0']);
  });

export const actionValidator = (): Promise<string> =>
  once(join(TOOLS, 'node_modules/.bin/action-validator'), () =>
    execa('npm', [
      'install',
      '--prefix',
      TOOLS,
      '@action-validator/cli@0.6.0',
      '@action-validator/core@0.6.0',
    ]),
  );

/** Returns the folder with the Kubernetes JSON Schemas, each self-contained in one file, as kubeconform requires. */
export const kubernetesSchemas = (): Promise<string> =>
  once(join(TOOLS, `kubernetes-${KUBERNETES}`), async () => {
    const packages = join(TOOLS, 'python');
    await execa('pip', [
      'install',
      '--quiet',
      '--no-deps',
      '--target',
      packages,
      'kubernetes-validate==1.37.0',
    ]);
    const source = join(
      packages,
      'kubernetes_validate/kubernetes-json-schema',
      `v${KUBERNETES}-local-strict`,
    );
    const complete = join(TOOLS, `kubernetes-${KUBERNETES}`);
    await mkdir(complete);
    const read = async (name: string): Promise<object> =>
      JSON.parse((await readFile(join(source, name), 'utf8')).replaceAll('"/api/_definitions.json#/', '"#/'));
    const shared = await read('_definitions.json');
    for (const name of KINDS) {
      const schema = { ...shared, ...(await read(name)), $id: undefined };
      await writeFile(join(complete, name), JSON.stringify(schema));
    }
  });

/** Returns the folder with the JSON Schema of a RayCluster, from the custom resource definition in KubeRay's Go module. */
export const rayClusterSchema = (): Promise<string> =>
  once(join(TOOLS, KUBERAY.replaceAll('/', '-')), async () => {
    const { stdout } = await execa('go', ['mod', 'download', '-json', KUBERAY], {
      cwd: TOOLS,
      env: { GOFLAGS: '-mod=mod' },
    });
    const { Dir: folder } = JSON.parse(stdout) as { Dir: string };
    const text = await readFile(join(folder, 'config/crd/bases/ray.io_rayclusters.yaml'), 'utf8');
    const { spec } = parse(text) as CustomResource;
    const schema = spec.versions.find(({ name }) => name === 'v1')?.schema.openAPIV3Schema;
    const complete = join(TOOLS, KUBERAY.replaceAll('/', '-'));
    await mkdir(complete);
    await writeFile(join(complete, 'raycluster-ray-v1.json'), JSON.stringify(schema, refuseUnknown));
  });

interface CustomResource {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: object };
    }[];
  };
}

/** Rejects keys that the definition does not contain, like the strict Kubernetes schemas. */
function refuseUnknown(key: string, value: unknown): unknown {
  const isClosed =
    isObject(value) && key !== 'properties' && isObject(value['properties']) && value['type'] === 'object';
  // The object's own metadata has no definition.
  return isClosed ? { additionalProperties: false, ...value } : value;
}

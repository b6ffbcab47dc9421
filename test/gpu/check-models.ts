import { messageOf } from '#contract/errors.ts';
import { compareWithCpu, runReference } from '#encoder/engine/gpu/probe-gpu.ts';
import { gpuModel } from '#encoder/engine/gpu/gpu-model.ts';
import { probeInputs } from '#encoder/engine/gpu/probe-inputs.ts';
import { type InferenceThread, startInferenceThread } from '#encoder/engine/inference-thread.ts';
import { NO_TOKENIZER } from '#encoder/engine/no-tokenizer.ts';
import { openModel } from '#encoder/model.ts';
import { readsImages } from '#contract/model-types.ts';
import { openModelTokenizer } from '#platform/model-tokenizer.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { loadOnnxRuntime } from '#platform/onnx/session.ts';

/**
 * Compares a GPU with the CPU for each built model in the arguments, as a server does before it uses the GPU, and prints `ok` or the
 * reason on a line for each. Durations are not measured, because this takes most of the time on a software driver.
 */
const { onnxruntime: addon, tokenizers } = await loadNativeLibraries();
loadOnnxRuntime(addon);

/** Threads stay open until the end, because ONNX Runtime keeps compiled shaders as long as a session is open. */
const opened: InferenceThread[] = [];

async function check(path: string): Promise<void> {
  const { manifest, body, tokenizer: sources } = openModel(path);
  const tokenizer = readsImages(manifest.modelType)
    ? NO_TOKENIZER
    : openModelTokenizer(tokenizers, sources, manifest, 1, manifest.tokenizer);
  const model = { addon, body, prepack: true, manifest };
  const [cpu, gpu] = [startInferenceThread(), startInferenceThread()];
  opened.push(cpu, gpu);
  await cpu.open({ ...model, threads: 1, priority: 'normal' });
  const { transform: _, ...onGpu } = gpuModel(model, 'float32');
  await gpu.open({ ...onGpu, threads: 1, priority: 'normal' });
  const reference = await runReference(cpu, await probeInputs(manifest, tokenizer), manifest, 1);
  await compareWithCpu(gpu, reference, manifest, 'float32');
}

for (const path of process.argv.slice(2)) {
  try {
    await check(path);
    console.log('ok');
  } catch (error) {
    console.log(messageOf(error));
  }
}
// One after the other: a server has a single thread for the GPU, and drivers fail if several end concurrently.
for (const thread of opened) await thread.close();

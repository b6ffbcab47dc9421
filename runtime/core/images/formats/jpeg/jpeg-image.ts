import { damaged } from '../damaged.ts';
import type { TransparentImage } from '../../rgb-image.ts';
import { toRgb } from './jpeg-colors.ts';
import { JpegBits } from './jpeg-bits.ts';
import { inverseTransform } from './jpeg-idct.ts';
import { type JpegComponent, readScan, type ScanComponent } from './jpeg-scan.ts';
import { hasLuminance, type JpegFrame, type JpegState, nextScan, startOfJpeg } from './jpeg-segments.ts';
import { type Plane, upsample } from './jpeg-upsample.ts';

/**
 * Decodes a JPEG image, with the same arithmetic as libjpeg-turbo. It is slower than the decoders in WebAssembly,
 * and reads what those do not read as Pillow does: printing colors, and colors with half the height (4:4:0).
 */
export function jpegImage(bytes: Uint8Array): TransparentImage {
  const state = startOfJpeg();
  let components: readonly JpegComponent[] | undefined;
  let at = 2;
  for (;;) {
    const header = nextScan(bytes, at, state);
    if (header === undefined) break;
    const { frame, ...scan } = header;
    const all = (components ??= withCoefficients(frame));
    const bits = new JpegBits(bytes, scan.at);
    readScan(
      {
        ...scan,
        components: scan.components.flatMap(({ index, dc, ac }): ScanComponent[] => {
          const component = all[index];
          return component === undefined ? [] : [{ component, dc, ac, previous: 0 }];
        }),
        isProgressive: frame.isProgressive,
        restartInterval: state.restartInterval,
        unitsWide: frame.unitsWide,
        unitsHigh: frame.unitsHigh,
      },
      bits,
    );
    at = bits.at;
  }
  if (state.frame === undefined) throw damaged('jpeg', 'it contains no image');
  return frameImage(state.frame, components ?? withCoefficients(state.frame), state);
}

const withCoefficients = ({ components, unitsHigh }: JpegFrame): JpegComponent[] =>
  components.map((each) => ({
    ...each,
    coefficients: new Int16Array(each.stride * unitsHigh * each.v * 64),
  }));

function frameImage(
  frame: JpegFrame,
  components: readonly JpegComponent[],
  state: JpegState,
): TransparentImage {
  const planes = components.map((component) => {
    const table = state.quantization.get(component.quantization);
    if (table === undefined) throw damaged('jpeg', 'a quantization table is missing');
    return upsample(componentPlane(component, table, frame), frame.h / component.h, frame.v / component.v);
  });
  const { width, height } = frame;
  return { width, height, pixels: toRgb(planes, frame, hasLuminance(frame, state)), alpha: undefined };
}

function componentPlane(component: JpegComponent, table: Uint16Array, frame: JpegFrame): Plane {
  const { columns, rows, stride: blocks, coefficients } = component;
  const stride = columns * 8;
  const samples = new Uint8Array(stride * rows * 8);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const start = row * 8 * stride + column * 8;
      inverseTransform(coefficients, (row * blocks + column) * 64, table, samples, start, stride);
    }
  }
  return {
    samples,
    width: Math.ceil((frame.width * component.h) / frame.h),
    height: Math.ceil((frame.height * component.v) / frame.v),
    stride,
  };
}

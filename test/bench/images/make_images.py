"""Writes JPEG images that need as much time as photographs: make_images.py <folder> <count>

Noise whose amplitude falls with its frequency, as in photographs, in colors that change smoothly.
"""

import sys

import numpy
from PIL import Image

WIDTH, HEIGHT, QUALITY = 640, 480, 85


def noise(random, exponent):
    """Values around 0 with a standard deviation of 1."""
    rows = numpy.fft.fftfreq(HEIGHT)[:, None]
    columns = numpy.fft.rfftfreq(WIDTH)[None, :]
    frequency = numpy.hypot(rows, columns)
    frequency[0, 0] = 1
    phases = numpy.exp(2j * numpy.pi * random.random(frequency.shape))
    values = numpy.fft.irfft2(phases / frequency**exponent, s=(HEIGHT, WIDTH))
    return (values - values.mean()) / values.std()


folder, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    random = numpy.random.default_rng(number)
    light = 118 + 55 * noise(random, 1.5)
    channels = [light + 25 * noise(random, 2) for _ in range(3)]
    pixels = numpy.stack(channels, axis=-1).round().clip(0, 255).astype(numpy.uint8)
    Image.fromarray(pixels).save(f"{folder}/{number:02}.jpg", quality=QUALITY)

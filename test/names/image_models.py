"""Folders of models of images with random weights, and what transformers computes with them for images in base64, or texts and images."""

import base64
import io
import json

import torch
import transformers as tf
from make_towers import clip_tokenizer, random_weights, siglip_tokenizer
from PIL import Image
from vocabularies import write_vocabulary

# As in texts.ts.
DATA_URL = "data:image/png;base64,"
TOWER = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
SMALL = dict(**TOWER, initializer_range=0.3)
LABELS = dict(id2label={at: f"label {at}" for at in range(7)}, label2id={f"label {at}": at for at in range(7)})
# As ENTITY_THRESHOLD in compare-model.ts: random models have low scores.
THRESHOLD = 0.05
STAGES = dict(depths=[1, 1, 1, 1], initializer_range=0.3)


def towers(config, tokenizer, text, vision):
    return config(text_config=dict(**TOWER, vocab_size=len(tokenizer), **text), vision_config=dict(**TOWER, image_size=224, **vision))


def clip(tokenizer):
    # The published settings name other ids of special tokens than the tokenizer; 2 means that the largest id is the end.
    text = dict(max_position_embeddings=77, bos_token_id=0, eos_token_id=2, pad_token_id=1)
    return tf.CLIPModel(towers(tf.CLIPConfig, tokenizer, text, dict(patch_size=32)))


def siglip(tokenizer):
    # projection_size is set because transformers derives it from a hidden size of 768.
    return tf.SiglipModel(towers(tf.SiglipConfig, tokenizer, dict(max_position_embeddings=64, projection_size=32), dict(patch_size=16)))


def siglip2_tokenizer(folder):
    write_vocabulary(folder, "siglip2", 64, names=["input_ids"])
    return tf.AutoTokenizer.from_pretrained(folder)


def pooled(output):
    return output.pooler_output.flatten()


def runs(scores, image, _):
    """The numbers of pixels outside and inside the mask of each label, in turn, column by column."""
    enlarged = torch.nn.functional.interpolate(scores[None], size=(image.height, image.width), mode="bilinear", align_corners=False)
    labels = enlarged[0].argmax(0).T.flatten()
    counts = []
    for label in labels.unique():
        inside, lengths = torch.unique_consecutive(labels == label, return_counts=True)
        counts += [0] * int(inside[0]) + lengths.tolist()
    return torch.tensor(counts)


def objects(output, image, processor):
    """The score and the box of each object, highest score first. Boxes are in thousands of pixels, so that scores count as well."""
    (found,) = processor.post_process_object_detection(output, THRESHOLD, [(image.height, image.width)])
    order = found["scores"].argsort(descending=True)
    return torch.cat([found["scores"][order, None], found["boxes"][order] / 1000], 1).flatten()


# By `made` in list-images.ts: the model, the numbers of an image, and what else is done with these, the image and the processor.
MADE = {
    "vit": (
        lambda: tf.ViTForImageClassification(tf.ViTConfig(**SMALL, **LABELS, image_size=224, patch_size=16)),
        lambda model, pixels: model(pixels).logits[0],
    ),
    "deit": (
        lambda: tf.DeiTForImageClassificationWithTeacher(tf.DeiTConfig(**SMALL, **LABELS, image_size=224, patch_size=16)),
        lambda model, pixels: model(pixels).logits[0],
    ),
    "resnet": (
        lambda: tf.ResNetForImageClassification(
            tf.ResNetConfig(embedding_size=16, hidden_sizes=[16, 16, 32, 32], depths=[1, 1, 1, 1], **LABELS)
        ),
        lambda model, pixels: model(pixels).logits[0],
    ),
    "convnext": (
        lambda: tf.ConvNextForImageClassification(tf.ConvNextConfig(hidden_sizes=[8, 8, 16, 16], **STAGES, **LABELS)),
        lambda model, pixels: model(pixels).logits[0],
    ),
    "swin": (
        lambda: tf.SwinForImageClassification(
            tf.SwinConfig(embed_dim=8, num_heads=[1, 1, 2, 2], image_size=224, **STAGES, **LABELS)
        ),
        lambda model, pixels: model(pixels).logits[0],
    ),
    "dinov2": (
        lambda: tf.Dinov2Model(tf.Dinov2Config(**SMALL, image_size=518, patch_size=14)),
        lambda model, pixels: pooled(model(pixels)),
    ),
    "dinov2_with_registers": (
        lambda: tf.Dinov2WithRegistersModel(tf.Dinov2WithRegistersConfig(**SMALL, image_size=518, patch_size=14)),
        lambda model, pixels: pooled(model(pixels)),
    ),
    "segformer": (
        lambda: tf.SegformerForSemanticSegmentation(
            tf.SegformerConfig(hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 2], decoder_hidden_size=16, **LABELS)
        ),
        lambda model, pixels: model(pixels).logits[0],
        runs,
    ),
    "detr": (
        lambda: tf.DetrForObjectDetection(
            tf.DetrConfig(
                backbone_config=tf.ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], out_features=["stage4"]),
                d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
                encoder_ffn_dim=32, decoder_ffn_dim=32, num_queries=8, init_std=0.3, **LABELS,
            )
        ),
        lambda model, pixels: model(pixels),
        objects,
    ),
    "yolos": (
        lambda: tf.YolosForObjectDetection(
            tf.YolosConfig(**TOWER, initializer_range=0.1, **LABELS, image_size=[800, 1333], patch_size=16, num_detection_tokens=8, use_mid_position_embeddings=False)
        ),
        lambda model, pixels: model(pixels),
        objects,
    ),
}
# Models that also read texts: the tokenizer, the model, and how texts are padded.
TOWERS = {
    "clip": (lambda folder: clip_tokenizer(folder, 77), clip, dict(padding=True)),
    "siglip": (siglip_tokenizer, siglip, dict(padding="max_length", max_length=64)),
    "siglip2": (siglip2_tokenizer, siglip, dict(padding="max_length", max_length=64)),
}


def read_image(text):
    return Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB")


def save(model, folder, row):
    model.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps(row["processor"]))
    return tf.AutoImageProcessor.from_pretrained(folder, use_fast=False)


def texts_and_images(folder, row, job):
    write_tokenizer, make, padding = TOWERS[row["made"]]
    tokenizer = write_tokenizer(folder)
    torch.manual_seed(len(row["name"]))
    model = random_weights(make(tokenizer))
    processor = save(model, folder, row)
    # The class of a tokenizer also depends on config.json.
    tokenizer = tf.AutoTokenizer.from_pretrained(folder)
    rows = []
    for item in job["texts"]:
        _, found, encoded = item.partition(DATA_URL)
        if found:
            vectors = model.get_image_features(processor(read_image(encoded), return_tensors="pt")["pixel_values"])
        else:
            vectors = model.get_text_features(**tokenizer([item], return_tensors="pt", truncation=True, **padding))
        rows.append(getattr(vectors, "pooler_output", vectors)[0].tolist())
    return {"rows": rows}


def image(folder, row, job):
    if "made" not in row:
        (folder / "config.json").write_text(json.dumps(row["config"]))
        torch.save({}, folder / "pytorch_model.bin")
        return None
    make, numbers, *then = MADE[row["made"]]
    torch.manual_seed(len(row["name"]))
    model = make().eval()
    # The initial statistics of batches would hide errors in their names.
    for name, buffer in model.named_buffers():
        if name.endswith("running_mean"):
            buffer.uniform_(-0.5, 0.5)
        if name.endswith("running_var"):
            buffer.uniform_(0.5, 2)
    processor = save(model, folder, row)
    rows = []
    for text in job["texts"]:
        read = read_image(text)
        found = numbers(model, processor(read, return_tensors="pt")["pixel_values"])
        for step in then:
            found = step(found, read, processor)
        rows.append(found.tolist())
    return {"rows": rows}

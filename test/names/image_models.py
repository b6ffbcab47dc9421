"""Folders of models of images with random weights, and what transformers computes with them for images in base64."""

import base64
import io
import json

import torch
import transformers as tf
from PIL import Image

TOWER = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
SMALL = dict(**TOWER, initializer_range=0.3)
LABELS = dict(id2label={at: f"label {at}" for at in range(7)}, label2id={f"label {at}": at for at in range(7)})
# As ENTITY_THRESHOLD in compare-model.ts: random models have low scores.
THRESHOLD = 0.05
STAGES = dict(depths=[1, 1, 1, 1], initializer_range=0.3)


def towers(config, text, vision):
    return config(
        text_config=dict(**TOWER, vocab_size=64, bos_token_id=1, eos_token_id=2, pad_token_id=2, **text),
        vision_config=dict(**TOWER, image_size=224, **vision),
    )


def pooled(output):
    return output.pooler_output.flatten()


def features(output):
    return (output if isinstance(output, torch.Tensor) else output.pooler_output)[0]


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
    "clip": (
        lambda: tf.CLIPModel(towers(tf.CLIPConfig, dict(max_position_embeddings=77), dict(patch_size=32))),
        lambda model, pixels: features(model.get_image_features(pixels)),
    ),
    "siglip": (
        lambda: tf.SiglipModel(towers(tf.SiglipConfig, dict(max_position_embeddings=64), dict(patch_size=16))),
        lambda model, pixels: features(model.get_image_features(pixels)),
    ),
}


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
    model.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps(row["processor"]))
    processor = tf.AutoImageProcessor.from_pretrained(folder, use_fast=False)
    rows = []
    for text in job["texts"]:
        read = Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB")
        found = numbers(model, processor(read, return_tensors="pt")["pixel_values"])
        for step in then:
            found = step(found, read, processor)
        rows.append(found.tolist())
    return {"rows": rows}
